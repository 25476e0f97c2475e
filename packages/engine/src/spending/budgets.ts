import type { SpendLimits, Budget } from '@svc/store'
import { type Policy, usdMicros } from '../policy/policy.ts'
import { formatAmount } from '@svc/lp-math'
import { isUnnamed } from '@svc/amm'
import { countable } from '../call/amounts.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import { type Holdings, tokensIn, valueAt } from '../value/trusted-value.ts'
import { type CallValue, trustedPrices } from '../value/call-value.ts'

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
function unanchoredBudgetName(chainId: number, token: string): string {
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

/**
 * What a call, at the worst that its calldata permits, takes out of the budgets of any 24 hours, beside the spending limits: the value it may lose, what it spends on
 * tokens without a named source, what it spends at current prices alone, what it moves of tokens that pools alone price, and
 * what it spends in pools that have a budget of their own.
 */
export function budgetsOf(value: BudgetedValue, spend: BudgetedSpend): readonly Budget[] {
  if (value.isExit) return []
  const { policy, chainId, spendUsdMicros } = spend
  const caps = dailyValueCaps(policy)
  const speculative = value.bounds.areAllBudgeted ? 0n : value.speculativeUsdMicros
  const budgets = [
    { name: budgetNames.loss, usdMicros: value.lossUsdMicros, capUsdMicros: caps.loss },
    { name: budgetNames.speculative, usdMicros: speculative, capUsdMicros: caps.speculative },
    { name: budgetNames.coldStart, usdMicros: value.coldUsdMicros, capUsdMicros: caps.coldStart },
    ...value.bounds.pools.map(({ pool, capUsdMicros }) => {
      return { name: poolBudgetName(chainId, pool), usdMicros: spendUsdMicros, capUsdMicros }
    }),
    ...poolPriced(value, spend, caps.poolPriced),
    ...forAPerson(value, spend),
  ]
  return budgets.map(({ name, usdMicros, capUsdMicros }) => {
    return { name, usdMicros: countable(usdMicros), capUsdMicros }
  })
}

export type BudgetedValue = Pick<
  CallValue,
  'isExit' | 'bounds' | 'lossUsdMicros' | 'speculativeUsdMicros' | 'coldUsdMicros' | 'permitted'
>

export type BudgetedSpend = {
  readonly policy: Policy
  readonly chainId: number
  readonly priced: PricedTokens
  /** What the call counts as under the limits. */
  readonly spendUsdMicros: bigint
}

/**
 * Of a token that only named pools price, a day moves a tenth of their depth, well below what moving their price would cost; of
 * all such tokens together what the policy says, since the rich can lend a pool depth.
 */
function poolPriced(
  { permitted }: BudgetedValue,
  { chainId, priced }: BudgetedSpend,
  capUsdMicros: bigint,
): readonly Budget[] {
  const prices = trustedPrices(priced)
  const tokens = new Set(permitted.flatMap(({ leaves, arrives }) => [...tokensIn(leaves), ...tokensIn(arrives)]))
  const ofEach = [...tokens].flatMap((token): readonly Budget[] => {
    const band = priced.get(token)?.band
    if (band?.basis !== 'pools') return []
    const moved = permitted.flatMap(({ leaves, arrives }) => [
      valueAt(partOf(leaves, token), prices, 'high', 'leaves'),
      valueAt(partOf(arrives, token), prices, 'high'),
    ])
    const usdMicros = moved.reduce((most, one) => (one > most ? one : most), 0n)
    return [{ name: poolPricedBudgetName(chainId, token), usdMicros, capUsdMicros: band.depthUsdMicros / 10n }]
  })
  const together = ofEach.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
  return [{ name: budgetNames.poolPriced, usdMicros: together, capUsdMicros }, ...ofEach]
}

/**
 * What leaves with a person's word alone, unless the policy says otherwise. A token without a named source: whoever bids for it in a
 * pool of his own decides how little it counts as, and a market that nothing here looks at may say more. A token that pools alone
 * price, not where a person expects it: whoever pushes them decides as much, and limits in dollars bound nothing then.
 */
function forAPerson(
  { permitted }: BudgetedValue,
  { policy, chainId, priced, spendUsdMicros }: BudgetedSpend,
): readonly Budget[] {
  if (policy.unnamedSales === 'allow') return []
  // However little it counts as, it is asked for.
  const usdMicros = spendUsdMicros > 0n ? spendUsdMicros : 1n
  const leaving = new Set(permitted.flatMap(({ leaves }) => [...tokensIn(leaves)]))
  return [...leaving].flatMap((token): readonly Budget[] => {
    const { doubt, band } = priced.get(token) ?? {}
    if (isUnnamed(doubt)) return [{ name: unnamedBudgetName(chainId, token), usdMicros, capUsdMicros: 0n }]
    if (band?.basis !== 'pools' || band.isAnchored) return []
    return [{ name: unanchoredBudgetName(chainId, token), usdMicros, capUsdMicros: 0n }]
  })
}

/** The token itself, and positions and shares that hold it; these count whole, since their other side depends on its price too. */
function partOf(side: Holdings, token: string): Holdings {
  const holds = ({ token0, token1 }: { readonly token0: string; readonly token1: string }) =>
    token0 === token || token1 === token
  const own = side.tokens.get(token)
  return {
    tokens: own === undefined ? new Map() : new Map([[token, own]]),
    positions: side.positions.filter(holds),
    shares: side.shares.filter(holds),
  }
}
