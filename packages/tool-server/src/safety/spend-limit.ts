import { formatAmount } from '@svc/lp-math'
import type { Ledger, SpendLimits, SpendVerdict } from '@svc/store'
import type { Address } from 'viem'
import { type Policy, usdMicros } from './policy.ts'
import type { Refusal } from './refusal.ts'

/**
 * Holds a spend against the limits of the transaction, of the principal's session and of any 24 hours, and takes it out
 * of them unless `dryRun`. A token without a price is a refusal under a strict allowlist; under a lenient one the call
 * counts as the whole limit of one transaction.
 */
export async function limitSpend(request: SpendRequest): Promise<SpendDecision> {
  const { ledger, policy, value, dryRun } = request
  const limits = limitsOf(policy)
  if (value.unpriced.length > 0 && policy.allowlist.mode === 'strict') {
    return { amountUsdMicros: value.usdMicros, reserved: false, used: null, refusals: [withoutPrice(value.unpriced)] }
  }
  const isGuess = value.unpriced.length > 0 && value.usdMicros < limits.perTransaction
  const amountUsdMicros = isGuess ? limits.perTransaction : value.usdMicros
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
 * Holds a spend that was reserved at `reservedUsdMicros` against the limits at newer prices: the whole against that of
 * one transaction, and what it rose by against the others. Takes nothing out of them.
 */
export async function limitRise(request: SpendRequest, reservedUsdMicros: bigint): Promise<readonly Refusal[]> {
  const { policy, value } = request
  const limits = limitsOf(policy)
  const { usdMicros, unpriced } = value
  if (usdMicros > limits.perTransaction) return [aboveOne(limits, usdMicros)]
  const rise = { usdMicros: usdMicros > reservedUsdMicros ? usdMicros - reservedUsdMicros : 0n, unpriced }
  // A token that was a guess under a lenient allowlist is reserved as one already.
  const asked = policy.allowlist.mode === 'strict' ? rise : { ...rise, unpriced: [] }
  return (await limitSpend({ ...request, value: asked, dryRun: true })).refusals
}

export type SpendRequest = {
  readonly ledger: Pick<Ledger, 'reserve' | 'check'>
  readonly policy: Policy
  readonly principal: string
  readonly chainId: number
  readonly requestId: string
  readonly reservationId: string
  readonly value: { readonly usdMicros: bigint; readonly unpriced: readonly Address[] }
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

/** Whether a spend lifts the day's sum over the share of the limit that is announced. */
export function crossesDailyAlert(usedUsdMicros: bigint, addedUsdMicros: bigint, policy: Policy): boolean {
  return !isDailyAlert(usedUsdMicros, policy) && isDailyAlert(usedUsdMicros + addedUsdMicros, policy)
}

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

function exceeded(verdict: Extract<SpendVerdict, { granted: false }>): Refusal {
  const { limit, capUsdMicros, usedUsdMicros, askedUsdMicros } = verdict
  const [cap, used, asked] = [capUsdMicros, usedUsdMicros, askedUsdMicros].map(usdText)
  return {
    code: 'SPENDING_LIMIT_EXCEEDED',
    message: `The limit of ${names[limit]} is ${cap} USD; ${used} USD of it are used and the call asks for ${asked} USD.`,
    details: [{ message: 'limit', limit, capUsd: cap, usedUsd: used, askedUsd: asked }],
  }
}

/** Known without asking the ledger, whose rows have no room for absurd sums. */
function aboveOne({ perTransaction }: SpendLimits, askedUsdMicros: bigint): Refusal {
  const limit = { limit: 'perTransaction', capUsdMicros: perTransaction, usedUsdMicros: 0n } as const
  return exceeded({ granted: false, ...limit, askedUsdMicros })
}

function withoutPrice(unpriced: readonly Address[]): Refusal {
  return {
    code: 'PRICE_UNAVAILABLE',
    message: 'A token of this call has no trustworthy price, so its spend cannot be held against the limits.',
    details: unpriced.map((token) => ({ message: 'no price', token })),
  }
}
