import type { Hex } from 'viem'
import { type Policy, usdMicros } from '../policy.ts'
import type { LossBounds } from './weigh-change.ts'

/**
 * What the policy lets a call of a tool lose that goes through these pools. A rule of a pool goes before that of the tool,
 * and that before the common one; of several pools the strictest holds.
 */
export function valueBounds(policy: Policy, chainId: number, tool: string, pools: readonly Hex[]): ValueBounds {
  const byTool = policy.valueRules.tools[tool] ?? {}
  const listed = new Map(
    Object.entries(policy.valueRules.pools[`${chainId}`] ?? {}).map(([id, rule]) => [id.toLowerCase(), rule]),
  )
  const rules = pools.length === 0 ? [{}] : pools.map((pool) => listed.get(pool.toLowerCase()) ?? {})
  const strictest = (name: (typeof ruleNames)[number]) =>
    Math.min(...rules.map((rule) => (name in rule ? rule[name] : undefined) ?? byTool[name] ?? policy[name]))
  const budgets = pools.map((pool) => ({
    pool: pool.toLowerCase(),
    budgetUsd: listed.get(pool.toLowerCase())?.budgetUsd,
  }))
  return {
    maxLossBps: strictest('maxLossBps'),
    mostLossBps: policyMostLossBps,
    maxPriceImpactBps: strictest('maxPriceImpactBps'),
    maxPoolDeviationBps: strictest('maxPoolDeviationBps'),
    pools: budgets.flatMap(({ pool, budgetUsd }) =>
      budgetUsd === undefined ? [] : [{ pool, capUsdMicros: usdMicros(budgetUsd) }],
    ),
    areAllBudgeted: budgets.length > 0 && budgets.every(({ budgetUsd }) => budgetUsd !== undefined),
  }
}

export type ValueBounds = LossBounds & {
  readonly maxPriceImpactBps: number
  readonly maxPoolDeviationBps: number
  /** Pools of the call that have a budget of their own. */
  readonly pools: readonly { readonly pool: string; readonly capUsdMicros: bigint }[]
  /** Then nothing of the call draws on what may be spent on tokens without a price. */
  readonly areAllBudgeted: boolean
}

/** Fee, band and what may be lost, together: never more, but where the operator's own rule says more. */
const policyMostLossBps = 500

const ruleNames = ['maxLossBps', 'maxPriceImpactBps', 'maxPoolDeviationBps'] as const
