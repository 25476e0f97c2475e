import type { AuditEvent } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { Observing } from '../observer.ts'
import { type ActiveAlert, type AlertId, alertTable, alertThresholds } from './alert-table.ts'
import { isLarge, isShare, isUnknownRecipient, movedUsd } from './read-lines.ts'

/**
 * Watches a server for what the table of alerts names, by the lines of the audit log and the requests that limits turned away. An alert is
 * announced once when its condition comes true, and once when it is over: in the log, to `announce`, and in `active` meanwhile. What it
 * goes by is the process's own memory: after a restart the mean of a week begins anew, and the share of the daily limit alone decides.
 */
export function watchAlerts({ now, dailyLimitUsd, spentUsd, announce, log }: AlertOptions): AlertWatch {
  const seen = openWindows(now)
  const active = new Map<AlertId, ActiveAlert>()
  let spentDailyUsd = 0

  function look(rows: readonly AlertRow[] = alertTable): void {
    const facts = { ...seen, spentDailyUsd, dailyLimitUsd }
    for (const { id, severity, summary, condition } of rows) {
      const isTrue = conditions[id](facts)
      const known = active.get(id)
      if (isTrue === (known !== undefined)) continue
      if (known === undefined) {
        const alert = { alert: id, severity, summary, condition, since: new Date(now()).toISOString() }
        active.set(id, alert)
        log.warn('alert.raised', alert)
        announce('raised', alert)
      } else {
        active.delete(id)
        log.info('alert.cleared', { alert: id, since: known.since })
        announce('cleared', known)
      }
    }
  }

  return Object.freeze({
    observer: {
      audited: (event) => {
        note(event, seen, dailyLimitUsd())
        look()
      },
      limited: () => {
        seen.limited.add(1)
        look(ofLimits)
      },
    },
    active: () => [...active.values()],
    async sweep() {
      spentDailyUsd = (await spentUsd()) ?? spentDailyUsd
      look()
    },
  } satisfies AlertWatch)
}

export type AlertWatch = {
  readonly observer: Observing<'audited' | 'limited'>
  active(): readonly ActiveAlert[]
  /** Looks whether what time alone changes has changed: what is spent of the day, and what is long enough ago. */
  sweep(): Promise<void>
}

export type AlertOptions = {
  /** Unix milliseconds. */
  readonly now: () => number
  /** Of the policy as it is now. */
  readonly dailyLimitUsd: () => number
  /** Of the last 24 hours; `null` where it cannot be read. */
  readonly spentUsd: () => Promise<number | null>
  readonly announce: (what: 'raised' | 'cleared', alert: ActiveAlert) => void
  readonly log: Pick<Log, 'info' | 'warn'>
}

type AlertRow = (typeof alertTable)[number]

/** Whoever is turned away costs a look at this one alone: such requests are those that come in masses. */
const ofLimits = alertTable.filter(({ id }) => id === 'rate_limit_exhausted')

const { volumeSpike, largeWithdrawal, failures, unknownRecipient, rateLimit, dailySpend } = alertThresholds

function openWindows(now: () => number) {
  return {
    movedOfWeek: createWindow(volumeSpike.baselineSeconds, now),
    movedLately: createWindow(volumeSpike.windowSeconds, now),
    large: createWindow(largeWithdrawal.windowSeconds, now),
    failed: createWindow(failures.windowSeconds, now),
    unknown: createWindow(unknownRecipient.windowSeconds, now),
    limited: createWindow(rateLimit.windowSeconds, now),
  }
}

type Windows = ReturnType<typeof openWindows>

type Facts = Windows & Pick<AlertOptions, 'dailyLimitUsd'> & { readonly spentDailyUsd: number }

const conditions: Readonly<Record<AlertId, (facts: Facts) => boolean>> = {
  transaction_volume_spike: ({ movedLately, movedOfWeek, dailyLimitUsd }) => {
    const lately = movedLately.sum()
    const mean = (movedOfWeek.sum() * volumeSpike.windowSeconds) / volumeSpike.baselineSeconds
    return lately > volumeSpike.timesMean * mean && isShare(lately, volumeSpike.leastOfDailyLimit, dailyLimitUsd())
  },
  large_withdrawal: ({ large }) => large.sum() > 0,
  failed_transactions: ({ failed }) => failed.sum() >= failures.least,
  unknown_recipient: ({ unknown }) => unknown.sum() >= unknownRecipient.least,
  rate_limit_exhausted: ({ limited }) => limited.sum() >= rateLimit.least,
  daily_spend: ({ spentDailyUsd, dailyLimitUsd }) => isShare(spentDailyUsd, dailySpend.ofDailyLimit, dailyLimitUsd()),
}

function note(event: AuditEvent, seen: Windows, dailyLimitUsd: number): void {
  if (event.event === 'tx.settled') {
    const { leftUsd, homeUsd } = movedUsd(event)
    seen.movedOfWeek.add(leftUsd + homeUsd)
    seen.movedLately.add(leftUsd + homeUsd)
    if (isLarge(event, dailyLimitUsd)) seen.large.add(1)
  }
  if (event.event === 'tx.failed') seen.failed.add(1)
  if (event.event === 'tx.refused' && isUnknownRecipient(event)) seen.unknown.add(1)
}

/** The sum over the last so many seconds, kept as it grows and shrinks, in steps of a hundredth of them. */
function createWindow(seconds: number, now: () => number) {
  const steps: { readonly at: number; sum: number }[] = []
  const stepMs = seconds * 10
  let total = 0
  const drop = () => {
    const since = now() - seconds * 1_000
    for (let first = steps[0]; first !== undefined && first.at <= since; first = steps[0]) {
      total -= first.sum
      steps.shift()
    }
    // Of fractions that were taken off one by one a little is left.
    if (steps.length === 0) total = 0
  }
  return {
    add(value: number) {
      if (value <= 0) return
      drop()
      total += value
      const at = Math.floor(now() / stepMs) * stepMs
      const last = steps.at(-1)
      if (last?.at === at) last.sum += value
      else steps.push({ at, sum: value })
    },
    sum() {
      drop()
      return total
    },
  }
}
