import type { AuditEvent } from '@svc/engine'
import type { Observing } from '../observer.ts'

/**
 * Has it announced that a write waits for a person: the newest by its ids and its worth, how many more came meanwhile, and where it is decided. What
 * an agent says of it stays on the page. However often an agent asks, it is announced once in a while at most.
 */
export function createWaitingNotice({ announce, page, now }: WaitingNoticeOptions): WaitingNotice {
  let newest: AuditEvent | null = null
  let others = 0
  let announcedAt = -Infinity

  function tell(): void {
    if (newest === null || now() - announcedAt < onceInMs) return
    const { operationId, planHash, tool, actor, spendUsd } = newest
    announce({ operationId, planHash, tool, actor, spendUsd, others, page })
    newest = null
    others = 0
    announcedAt = now()
  }

  return {
    observer: {
      audited(line) {
        if (line.event !== 'tx.approval.requested') return
        if (newest !== null) others += 1
        newest = line
        tell()
      },
    },
    tell,
  }
}

export type WaitingNotice = {
  readonly observer: Observing<'audited'>
  /** Announces what came too soon after the one before. */
  tell(): void
}

type WaitingNoticeOptions = {
  readonly announce: (data: Readonly<Record<string, unknown>>) => void
  /** Where operators decide; `null` where they do so on the machine. */
  readonly page: string | null
  /** Unix milliseconds. */
  readonly now: () => number
}

const onceInMs = 15_000
