import { isUnnamed } from '@svc/amm'
import type { Budget } from '@svc/store'
import type { Policy } from '../policy/policy.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import { type Holdings, tokensIn, valueAt } from '../value/trusted-value.ts'
import { type CallValue, trustedPrices } from '../value/call-value.ts'
import {
  budgetNames,
  dailyValueCaps,
  poolBudgetName,
  poolPricedBudgetName,
  unanchoredBudgetName,
  unnamedBudgetName,
} from './budgets.ts'
import { countable } from './countable.ts'

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
