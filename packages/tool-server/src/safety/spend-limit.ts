import { formatAmount } from '@svc/lp-math'
import type { Ledger, SpendLimits, SpendVerdict } from '@svc/store'
import { type Policy, usdMicros } from './policy.ts'
import type { Refusal } from './refusal.ts'
import type { SpendValue, Unpriced } from './spend-value.ts'

/**
 * Holds a spend against the limits of the transaction, of the principal's session and of any 24 hours, and takes it out
 * of them unless `dryRun`. A token without a price is a refusal under a strict allowlist. Under a lenient one the call counts
 * as the whole limit of one transaction, or as what is known to leave or arrive beside it if that is more, where no list
 * names the token and no source says anything of it; what a list names, or what sources contradict, is refused there too.
 */
export async function limitSpend(request: SpendRequest): Promise<SpendDecision> {
  const { ledger, policy, value, dryRun } = request
  const limits = limitsOf(policy)
  const isGuess = value.unpriced.length > 0
  const bound = max(value.usdMicros, value.arrivingUsdMicros)
  if (isGuess && (bound === 0n || !maybeGuessed(request))) {
    return { amountUsdMicros: value.usdMicros, reserved: false, used: null, refusals: [withoutPrice(value.unpriced)] }
  }
  const amountUsdMicros = isGuess ? max(bound, limits.perTransaction) : value.usdMicros
  if (amountUsdMicros > limits.perTransaction) {
    return { amountUsdMicros, reserved: false, used: null, refusals: [aboveOne(limits, amountUsdMicros)] }
  }
  const asked = { principal: request.principal, chainId: request.chainId, amountUsdMicros, limits, sessionIdleMs }
  const verdict = dryRun
    ? await ledger.check(asked)
    : await ledger.reserve({ ...asked, id: request.reservationId, requestId: request.requestId })
  if (!verdict.granted) return { amountUsdMicros, reserved: false, used: null, refusals: [exceeded(verdict)] }
  return { amountUsdMicros, reserved: !dryRun, used: verdict.used, refusals: [] }
}

/**
 * Raises a reservation to what the spend is worth at newer prices, in one commit that holds it against every limit, so that
 * what is reserved and settled never exceeds a cap. One that is worth less now stays as it is. Answers what is reserved.
 */
export async function raiseSpend(request: SpendRequest, reservedUsdMicros: bigint): Promise<SpendRaise> {
  const { ledger, policy, value, reservationId, dryRun } = request
  const limits = limitsOf(policy)
  if (value.unpriced.length > 0 && !maybeGuessed(request)) {
    return { amountUsdMicros: reservedUsdMicros, refusals: [withoutPrice(value.unpriced)] }
  }
  const amountUsdMicros = value.unpriced.length > 0 ? max(value.usdMicros, value.arrivingUsdMicros) : value.usdMicros
  if (amountUsdMicros <= reservedUsdMicros) return { amountUsdMicros: reservedUsdMicros, refusals: [] }
  if (amountUsdMicros > limits.perTransaction) {
    return { amountUsdMicros: reservedUsdMicros, refusals: [aboveOne(limits, amountUsdMicros)] }
  }
  if (dryRun) return { amountUsdMicros, refusals: [] }
  const verdict = await ledger.raise(reservationId, { amountUsdMicros, limits, sessionIdleMs })
  return verdict.granted
    ? { amountUsdMicros, refusals: [] }
    : { amountUsdMicros: reservedUsdMicros, refusals: [exceeded(verdict)] }
}

/** Holds what is reserved already against limits that may have been tightened since. Raises nothing. */
export async function holdSpend(held: {
  readonly ledger: Pick<Ledger, 'raise'>
  readonly policy: Policy
  readonly reservationId: string
  readonly reservedUsdMicros: bigint
  /** False where nothing was put into the ledger. */
  readonly isReserved: boolean
}): Promise<readonly Refusal[]> {
  const { ledger, reservationId, reservedUsdMicros: amountUsdMicros } = held
  const limits = limitsOf(held.policy)
  if (amountUsdMicros > limits.perTransaction) return [aboveOne(limits, amountUsdMicros)]
  if (!held.isReserved) return []
  const verdict = await ledger.raise(reservationId, { amountUsdMicros, limits, sessionIdleMs })
  return verdict.granted ? [] : [exceeded(verdict)]
}

export type SpendRaise = { readonly amountUsdMicros: bigint; readonly refusals: readonly Refusal[] }

export type SpendRequest = {
  readonly ledger: Pick<Ledger, 'reserve' | 'check' | 'raise'>
  readonly policy: Policy
  readonly principal: string
  readonly chainId: number
  readonly requestId: string
  readonly reservationId: string
  readonly value: SpendValue
  readonly dryRun: boolean
}

export type SpendDecision = {
  readonly amountUsdMicros: bigint
  readonly reserved: boolean
  /** What counted before this spend; `null` when it was refused. */
  readonly used: Extract<SpendVerdict, { granted: true }>['used'] | null
  readonly refusals: readonly Refusal[]
}

/** A spending session ends after half an hour without a spend. */
export const sessionIdleMs = 30 * 60_000

/** The policy's limits in millionths of a US dollar. */
export function limitsOf({ limitsUsd }: Policy): SpendLimits {
  return {
    perTransaction: usdMicros(limitsUsd.perTransaction),
    perSession: usdMicros(limitsUsd.perSession),
    daily: usdMicros(limitsUsd.daily),
    ...(limitsUsd.principalDaily === undefined ? {} : { principalDaily: usdMicros(limitsUsd.principalDaily) }),
  }
}

/** Share of the daily limit, in percent, whose crossing is announced. */
export const dailyAlertPct = 80n

/** Whether a day's sum has reached the share of the limit that is announced. */
export function isDailyAlert(usedUsdMicros: bigint, policy: Policy): boolean {
  return usedUsdMicros * 100n >= limitsOf(policy).daily * dailyAlertPct
}

/** Millionths of a dollar as decimal dollars. */
export function usdText(micros: bigint): string {
  return formatAmount(micros, 6)
}

const names = {
  perTransaction: 'one transaction',
  perSession: 'the session',
  daily: 'any 24 hours',
  principalDaily: 'any 24 hours of this caller',
} as const

/** Of one transaction no window frees up. */
const noWaitHelps = 'Lower the amount: waiting does not change the limit of one transaction.'

function exceeded(verdict: Extract<SpendVerdict, { granted: false }>): Refusal {
  const { limit, capUsdMicros, usedUsdMicros, askedUsdMicros } = verdict
  const [cap, used, asked] = [capUsdMicros, usedUsdMicros, askedUsdMicros].map(usdText)
  return {
    code: 'SPENDING_LIMIT_EXCEEDED',
    message: `The limit of ${names[limit]} is ${cap} USD; ${used} USD of it are used and the call asks for ${asked} USD.`,
    details: [{ message: 'limit', limit, capUsd: cap, usedUsd: used, askedUsd: asked }],
    ...(limit === 'perTransaction' ? { suggestion: noWaitHelps } : {}),
  }
}

/** What arrives is only the least that a token can be worth: nothing is guessed of one that a list names or that has had a price. */
function maybeGuessed({ policy, chainId, value }: SpendRequest): boolean {
  const own = new Set(policy.allowlist.tokens?.[chainId]?.map((token) => token.toLowerCase()))
  return (
    policy.allowlist.mode === 'lenient' &&
    value.unpriced.every(({ token, doubt, listed }) => doubt === 'missing' && !listed && !own.has(token.toLowerCase()))
  )
}

/** Known without asking the ledger, whose rows have no room for absurd sums. */
function aboveOne({ perTransaction }: SpendLimits, askedUsdMicros: bigint): Refusal {
  const limit = { limit: 'perTransaction', capUsdMicros: perTransaction, usedUsdMicros: 0n } as const
  return exceeded({ granted: false, ...limit, askedUsdMicros })
}

function withoutPrice(unpriced: readonly Unpriced[]): Refusal {
  return {
    code: 'PRICE_UNAVAILABLE',
    message: 'A token of this call has no trustworthy price, so its spend cannot be held against the limits.',
    details: unpriced.map(({ token, doubt }) => ({ message: doubts[doubt], token })),
  }
}

const doubts = {
  missing: 'no price',
  single: 'one source where it takes two',
  disagreement: 'sources that differ by more than 5 percent',
  absurd: 'a price that makes no sense',
  stale: 'a price more than five minutes old',
} as const satisfies Record<Unpriced['doubt'], string>

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
