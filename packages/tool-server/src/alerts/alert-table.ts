import { dailyAlertPct } from '@svc/engine'

/** What the alerts go by: in the process and, generated from here, in the rules for Prometheus. */
export const alertThresholds = {
  /** What moves in ten minutes against the mean of as long over a week, and against the daily limit, which keeps quiet wallets quiet. */
  volumeSpike: { windowSeconds: 600, baselineSeconds: 7 * 86_400, timesMean: 4, leastOfDailyLimit: 0.25 },
  /** One write against the daily limit. */
  largeWithdrawal: { windowSeconds: 600, ofDailyLimit: 0.5 },
  failures: { windowSeconds: 600, least: 3 },
  unknownRecipient: { windowSeconds: 600, least: 1 },
  rateLimit: { windowSeconds: 300, least: 60 },
  dailySpend: { ofDailyLimit: Number(dailyAlertPct) / 100 },
} as const

const { volumeSpike, largeWithdrawal, failures, unknownRecipient, rateLimit, dailySpend } = alertThresholds

/** The six alerts. `expr` is the same condition for Prometheus, each server by itself. */
export const alertTable = [
  {
    id: 'transaction_volume_spike',
    severity: 'warning',
    summary: 'Far more is moved than usual.',
    condition: `What settled writes moved within ${minutes(volumeSpike)} minutes is more than ${volumeSpike.timesMean} times the mean of the last seven days, and at least ${percent(volumeSpike.leastOfDailyLimit)} of the daily limit.`,
    expr: [
      `${increase('svc_tx_value_usd_total', volumeSpike.windowSeconds)} >= ${volumeSpike.leastOfDailyLimit} * ${dailyLimit()}`,
      'and',
      `${increase('svc_tx_value_usd_total', volumeSpike.windowSeconds)} > ${volumeSpike.timesMean} * ${increase('svc_tx_value_usd_total', volumeSpike.baselineSeconds)} / ${volumeSpike.baselineSeconds / volumeSpike.windowSeconds}`,
    ].join('\n'),
  },
  {
    id: 'large_withdrawal',
    severity: 'warning',
    summary: 'One write took out a large sum.',
    condition: `One settled write spent, or brought home, at least ${percent(largeWithdrawal.ofDailyLimit)} of the daily limit, within the last ${minutes(largeWithdrawal)} minutes.`,
    expr: `${increase('svc_tx_large_total', largeWithdrawal.windowSeconds)} > 0`,
  },
  {
    id: 'failed_transactions',
    severity: 'warning',
    summary: 'Writes fail one after the other.',
    condition: `At least ${failures.least} writes failed within ${minutes(failures)} minutes: reverted, declined, or ended by a fault of chain or server.`,
    expr: `${increase('svc_tx_failed_total', failures.windowSeconds)} > ${failures.least} - 0.5`,
  },
  {
    id: 'unknown_recipient',
    severity: 'critical',
    summary: 'Somebody asked to call or to pay whom the policy does not list.',
    condition: `A write was refused for its contract, recipient or spender within the last ${minutes(unknownRecipient)} minutes.`,
    expr: `${increase('svc_tx_unknown_recipient_total', unknownRecipient.windowSeconds)} > 0`,
  },
  {
    id: 'rate_limit_exhausted',
    severity: 'warning',
    summary: 'Callers keep running into the rate limits.',
    condition: `At least ${rateLimit.least} requests were turned away within ${minutes(rateLimit)} minutes because a rate limit was used up.`,
    expr: `${increase('svc_rate_limited_total', rateLimit.windowSeconds)} > ${rateLimit.least} - 0.5`,
  },
  {
    id: 'daily_spend',
    severity: 'warning',
    summary: 'The daily limit is nearly used up.',
    condition: `At least ${percent(dailySpend.ofDailyLimit)} of the daily limit is spent in any 24 hours.`,
    expr: `max by (instance) (svc_safety_spent_usd) >= ${dailySpend.ofDailyLimit} * ${dailyLimit()}`,
  },
] as const satisfies readonly AlertRow[]

export type AlertRow = {
  readonly id: string
  readonly severity: 'warning' | 'critical'
  readonly summary: string
  readonly condition: string
  /** PromQL. */
  readonly expr: string
}

/** An alert that stands. */
export type ActiveAlert = {
  readonly alert: AlertId
  readonly severity: 'warning' | 'critical'
  readonly summary: string
  readonly condition: string
  /** ISO 8601. */
  readonly since: string
}

export type AlertId = (typeof alertTable)[number]['id']

function increase(metric: string, seconds: number): string {
  return `sum by (instance) (increase(${metric}[${seconds}s]))`
}

/** Of a limit of 0 there are no shares: a comparison with what is filtered out is none. */
function dailyLimit(): string {
  return '(max by (instance) (svc_safety_limit_usd{limit="daily"}) > 0)'
}

function minutes({ windowSeconds }: { readonly windowSeconds: number }): string {
  return `${windowSeconds / 60}`
}

function percent(share: number): string {
  return `${share * 100} %`
}
