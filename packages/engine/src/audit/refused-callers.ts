import type { AuditLog } from './audit.ts'

/**
 * Notes in the audit log that callers were turned away, at most one line a minute however many there are, so that nobody
 * without a key can fill the disk: the first at once, those that follow as a number with the next line. Of the addresses
 * the first five stand in the line.
 */
export function createRefusedCallers(options: {
  readonly audit: Pick<AuditLog, 'note'>
  /** Unix milliseconds. */
  readonly now: () => number
}): RefusedCallers {
  let count = 0
  let reasons: Record<string, number> = {}
  let addresses = new Set<string>()
  let notedAt = -Infinity
  const write = () => {
    if (count === 0) return
    options.audit.note({ event: 'auth.failed', count, reasons, addresses: [...addresses] })
    count = 0
    reasons = {}
    addresses = new Set()
  }
  return Object.freeze({
    refused: (reason: string, address: string) => {
      count += 1
      reasons[reason] = (reasons[reason] ?? 0) + 1
      if (addresses.size < mostAddresses) addresses.add(address)
      if (Math.abs(options.now() - notedAt) < onceInMs) return
      notedAt = options.now()
      write()
    },
    flush: write,
  })
}

export type RefusedCallers = {
  /** `reason` is one of our own words. */
  refused(reason: string, address: string): void
  /** Notes what is counted and not noted yet. */
  flush(): void
}

const onceInMs = 60_000
const mostAddresses = 5
