import type { AuditEvent } from '../audit/audit.ts'
import type { PastTime, SwitchEnd } from './switch-history.ts'

/**
 * What became of a switch since it was last recorded, as lines of the audit log in their order: first each time that has
 * ended and is not recorded yet, then what holds now. Where the last recorded end is not found in the history, all of it
 * counts as new.
 */
export function switchEvents<Begun extends { readonly since: string }>(
  names: { readonly on: AuditEvent['event']; readonly off: AuditEvent['event'] },
  recorded: RecordedSwitch,
  { standing, past, lastEnd }: SeenSwitch<Begun>,
): readonly AuditEvent[] {
  const events: AuditEvent[] = []
  let open = recorded.since
  const on = (begun: Begun) => {
    if (begun.since === open) return
    if (open !== null) off(open, endOf(open))
    events.push({ event: names.on, ...begun })
    open = begun.since
  }
  const off = (since: string, end: SwitchEnd | null) => {
    events.push({ event: names.off, since, by: end?.by ?? null, at: end?.at ?? null })
    open = null
  }
  /** A file removed by hand names nobody. An older file holds the last end alone, without what it ended. */
  const endOf = (since: string): SwitchEnd | null => {
    if (past.length === 0) return lastEnd !== null && lastEnd.at >= since ? lastEnd : null
    return past.findLast(({ begun }) => begun.since === since)?.end ?? null
  }

  const { ended } = recorded
  const known = past.findLastIndex(({ begun, end }) => begun.since === ended?.since && end.at === ended.at)
  for (const { begun, end } of past.slice(known + 1)) {
    // Its end is written down before the switch itself is moved.
    if (begun.since === standing?.since) continue
    on(begun)
    off(begun.since, end)
  }
  if (standing !== null) on(standing)
  else if (open !== null) off(open, endOf(open))
  return events
}

/** What of a switch is in the audit log. */
export type RecordedSwitch = {
  /** Since when it is set; `null` when it is not. */
  readonly since: string | null
  /** The newest time that has ended. */
  readonly ended: { readonly since: string; readonly at: string } | null
}

export type SeenSwitch<Begun> = {
  readonly standing: Begun | null
  readonly past: readonly PastTime<Begun>[]
  readonly lastEnd: SwitchEnd | null
}
