import type { AuditEvent } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { Observer } from '../observer.ts'
import { type ActiveAlert, type AlertId, alertTable, alertThresholds } from './alert-table.ts'
import { isUnknownRecipient, movedUsd } from './read-lines.ts'

/**
 * Watches a server for what the table of alerts names, by the lines of the audit log and the requests that limits turned away. An alert is
 * announced once when its condition comes true, and once when it is over: in the log, to `announce`, and in `active` meanwhile. What it
 * goes by is the process's own memory: after a restart the mean of a week begins anew, and the share of the daily limit alone decides.
 */
export function watchAlerts({ now, dailyLimitUsd, spentUsd, announce, log }: AlertOptions): AlertWatch {
  const { volumeSpike, largeWithdrawal, failures, unknownRecipient, rateLimit, dailySpend } = alertThresholds
  const moved = createWindow(volumeSpike.baselineSeconds, now)
  const large = createWindow(largeWithdrawal.windowSeconds, now)
  const failed = createWindow(failures.windowSeconds, now)
  const unknown = createWindow(unknownRecipient.windowSeconds, now)
  const limited = createWindow(rateLimit.windowSeconds, now)
  const active = new Map<AlertId, ActiveAlert>()
  let spentDailyUsd = 0

  const conditions: Readonly<Record<AlertId, () => boolean>> = {
    transaction_volume_spike: () => {
      const lately = moved.sum(volumeSpike.windowSeconds)
      const mean = (moved.sum() * volumeSpike.windowSeconds) / volumeSpike.baselineSeconds
      return lately > volumeSpike.timesMean * mean && lately >= volumeSpike.leastOfDailyLimit * dailyLimitUsd()
    },
    large_withdrawal: () => large.sum() > 0,
    failed_transactions: () => failed.sum() >= failures.least,
    unknown_recipient: () => unknown.sum() >= unknownRecipient.least,
    rate_limit_exhausted: () => limited.sum() >= rateLimit.least,
    daily_spend: () => dailyLimitUsd() > 0 && spentDailyUsd >= dailySpend.ofDailyLimit * dailyLimitUsd(),
  }

  function look(): void {
    for (const { id, severity, summary, condition } of alertTable) {
      const isTrue = conditions[id]()
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

  function heard(event: AuditEvent): void {
    if (event.event === 'tx.settled') {
      const { leftUsd, homeUsd } = movedUsd(event)
      moved.add(leftUsd + homeUsd)
      if (Math.max(leftUsd, homeUsd) >= largeWithdrawal.ofDailyLimit * dailyLimitUsd()) large.add(1)
    }
    if (event.event === 'tx.failed') failed.add(1)
    if (event.event === 'tx.refused' && isUnknownRecipient(event)) unknown.add(1)
    look()
  }

  return Object.freeze({
    observer: {
      audited: heard,
      limited: () => {
        limited.add(1)
        look()
      },
    },
    active: () => [...active.values()],
    async sweep() {
      spentDailyUsd = (await spentUsd()) ?? spentDailyUsd
      look()
    },
  })
}

export type AlertWatch = {
  readonly observer: Pick<Observer, 'audited' | 'limited'>
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

/** Sums over the last so many seconds, in steps of a tenth of a minute, so that a week of them takes little. */
function createWindow(seconds: number, now: () => number) {
  let steps: { readonly at: number; sum: number }[] = []
  return {
    add(value: number) {
      if (value <= 0) return
      const at = Math.floor(now() / stepMs) * stepMs
      steps = steps.filter((step) => step.at > now() - seconds * 1_000)
      const last = steps.at(-1)
      if (last?.at === at) last.sum += value
      else steps.push({ at, sum: value })
    },
    sum: (lastSeconds = seconds) =>
      steps.reduce((sum, step) => (step.at > now() - lastSeconds * 1_000 ? sum + step.sum : sum), 0),
  }
}

const stepMs = 6_000
