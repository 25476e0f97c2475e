import type { Hex } from 'viem'
import { type Policy, usdMicros } from '../policy/policy.ts'
import type { LossBounds } from './weigh-change.ts'

/**
 * What the policy lets a call lose in these pools: a call of a tool, and of those whose operations a batch holds. The rule of a pool
 * takes precedence over that of the tool, and that over the common one; of several the strictest holds.
 */
export function valueBounds(
  policy: Policy,
  chainId: number,
  tools: readonly string[],
  pools: readonly Hex[],
): ValueBounds {
  const byTool = (name: (typeof ruleNames)[number]) =>
    Math.min(...tools.map((tool) => policy.valueRules.tools[tool]?.[name] ?? policy[name]))
  const listed = new Map(
    Object.entries(policy.valueRules.pools[`${chainId}`] ?? {}).map(([id, rule]) => [id.toLowerCase(), rule]),
  )
  const rules = pools.length === 0 ? [{}] : pools.map((pool) => listed.get(pool.toLowerCase()) ?? {})
  const strictest = (name: (typeof ruleNames)[number]) =>
    Math.min(...rules.map((rule) => (name in rule ? rule[name] : undefined) ?? byTool(name)))
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
  /** Whether all pools of the call have one: it then takes nothing out of `speculativeUsd`. */
  readonly areAllBudgeted: boolean
}

/** The most that `maxLossBps`, fee and band may be together, unless a rule of the operator says more. */
const policyMostLossBps = 500

const ruleNames = ['maxLossBps', 'maxPriceImpactBps', 'maxPoolDeviationBps'] as const
