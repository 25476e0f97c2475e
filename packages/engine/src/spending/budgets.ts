import type { SpendLimits } from '@svc/store'
import { type Policy, usdMicros } from '../policy/policy.ts'
import { formatAmount } from '@svc/lp-math'

/** Share of the daily limit, in percent, whose crossing is announced. */
export const dailyAlertPct = 80n

/** Names of the budgets of value in the ledger; those of single pools and tokens contain the chain and the address. */
export const budgetNames = {
  loss: 'loss',
  speculative: 'speculative',
  coldStart: 'cold-start',
  /** Of all tokens that pools alone price. */
  poolPriced: 'priced by pools',
} as const

/** Budget of a pool that the operator gave one of its own. */
export function poolBudgetName(chainId: number, pool: string): string {
  return `pool ${chainId} ${pool.toLowerCase()}`
}

/** Budget of a single token that pools alone price. */
export function poolPricedBudgetName(chainId: number, token: string): string {
  return `${budgetNames.poolPriced} ${chainId} ${token.toLowerCase()}`
}

/** Of a token without a named source that leaves; nothing is in it without a person. */
export function unnamedBudgetName(chainId: number, token: string): string {
  return `${unnamedPrefix}${chainId} ${token.toLowerCase()}`
}

/** Whether it is one of those. */
export function isOfUnnamed(name: string): boolean {
  return name.startsWith(unnamedPrefix)
}

/**
 * The budgets of value of any 24 hours, in millionths of a US dollar: what may be lost, speculated with, spent at current
 * prices alone, and moved of tokens that pools alone price. The last is by default the sum at which prices that are wrong by
 * `maxPriceBandBps` lose as much as a day may lose.
 */
export function dailyValueCaps(policy: Policy): DailyValueCaps {
  const daily = usdMicros(policy.limitsUsd.daily)
  const { maxDailyLossUsd, maxPriceBandBps, speculativeUsd, coldStartUsd, poolPricedUsd } = policy
  const isStrict = policy.allowlist.mode === 'strict'
  const loss = maxDailyLossUsd === undefined ? daily / 50n : usdMicros(maxDailyLossUsd)
  const lostByBand = (loss * 10_000n) / BigInt(Math.max(maxPriceBandBps, 1))
  return {
    loss,
    speculative: speculativeUsd === undefined ? (isStrict ? 0n : daily / 10n) : usdMicros(speculativeUsd),
    coldStart: coldStartUsd === undefined ? daily / 10n : usdMicros(coldStartUsd),
    poolPriced: poolPricedUsd === undefined ? (lostByBand < daily ? lostByBand : daily) : usdMicros(poolPricedUsd),
  }
}

const unnamedPrefix = 'without a named source '

/** Of a token that pools alone price, not where a person expects it, that leaves; nothing is in it without a person. */
export function unanchoredBudgetName(chainId: number, token: string): string {
  return `${unanchoredPrefix}${chainId} ${token.toLowerCase()}`
}

/** Whether it is one of those. */
export function isOfUnanchored(name: string): boolean {
  return name.startsWith(unanchoredPrefix)
}

const unanchoredPrefix = 'without an expected price '

/** Whether a person may let a call exceed the budget: one of tokens that pools alone price, or that nobody named a source for. */
export function isForAPerson(name: string): boolean {
  return name.startsWith(budgetNames.poolPriced) || isOfUnnamed(name) || isOfUnanchored(name)
}

type DailyValueCaps = Readonly<Record<keyof typeof budgetNames, bigint>>

/** The policy's limits in millionths of a US dollar. A day may burn as much gas as it may lose, unless the policy says more. */
export function limitsOf(policy: Policy): SpendLimits & { readonly dailyGas: bigint } {
  const { limitsUsd, maxDailyGasUsd } = policy
  return {
    dailyGas: maxDailyGasUsd === undefined ? dailyValueCaps(policy).loss : usdMicros(maxDailyGasUsd),
    perTransaction: usdMicros(limitsUsd.perTransaction),
    perSession: usdMicros(limitsUsd.perSession),
    daily: usdMicros(limitsUsd.daily),
    ...(limitsUsd.principalDaily === undefined ? {} : { principalDaily: usdMicros(limitsUsd.principalDaily) }),
  }
}

/**
 * The most that any 24 hours cost under a policy by what is signed, all callers together, as decimal US dollars. A person's yes lifts
 * none of it. What no budget counts is not in it: the market, a listed token that turns, prices that somebody pushes, orders over time,
 * what leaves past the server (docs/policy.md, "What you can lose at most").
 */
export function mostLost(policy: Policy): MostLost {
  const { loss: trades } = dailyValueCaps(policy)
  const { dailyGas: gas, perTransaction } = limitsOf(policy)
  const homeGas = homeGasBudgets * gas
  return {
    trades: formatAmount(trades, 6),
    gas: formatAmount(gas, 6),
    homeGas: formatAmount(homeGas, 6),
    total: formatAmount(trades + gas + homeGas, 6),
    lastHomeGas: formatAmount(perTransaction, 6),
  }
}

export type MostLost = {
  /** Value, in trades and deposits that are worse than trusted prices. */
  readonly trades: string
  /** Gas of everything but what brings funds home. */
  readonly gas: string
  /** Gas of what brings funds home, where what came did not repay it: three budgets of the size of `gas`. */
  readonly homeGas: string
  /** The three together. */
  readonly total: string
  /** The call that uses up one of the last two of those budgets may burn more: a twentieth of what it was to bring home, and no more than this. */
  readonly lastHomeGas: string
}

/** For example `200 USD (40 in trades worse than trusted prices, 40 of gas, 120 of gas of bringing funds home)`. */
export function mostLostText({ total, trades, gas, homeGas }: MostLost): string {
  return `${total} USD (${trades} in trades worse than trusted prices, ${gas} of gas, ${homeGas} of gas of bringing funds home)`
}

/** For what asks nothing of what comes home, for what was to repay its gas and has not, and the same of what no stranger can make fail. */
const homeGasBudgets = 3n
