import { type ErrorDetail, isUnnamed, mayPass } from '@svc/amm'
import { getAddress, type Hex } from 'viem'
import type { Refusal } from '../call/refusal.ts'
import type { Moved } from './moved.ts'
import { usdText } from '../call/amounts.ts'
import type { PricedTokens } from './spend-value.ts'
import { bandWidthBps, tokensIn } from './trusted-value.ts'
import type { Outcome, ValueVerdict, LossBounds } from './weigh-change.ts'
import { type Policy, usdMicros } from '../policy/policy.ts'

/** Nothing is spent of a token or on it whose named sources are silent or differ by too much. */
export function priceRefusals(
  outcomes: readonly Outcome[],
  priced: PricedTokens,
  maxBandBps: number,
): readonly Refusal[] {
  const moved = new Set(outcomes.flatMap(({ leaves, arrives }) => [...tokensIn(leaves), ...tokensIn(arrives)]))
  const leaving = new Set(outcomes.flatMap(({ leaves }) => [...tokensIn(leaves)]))
  return [...moved].flatMap((key): readonly Refusal[] => {
    const entry = priced.get(key)
    if (entry === undefined) return leaving.has(key) ? [refuseUnseen(key)] : []
    if (isUnnamed(entry.doubt)) return []
    const { token, band, doubt } = entry
    if (band === null) {
      const message = `No named source tells what ${token.symbol} is worth now, so nothing is spent of it or on it.`
      const details = [{ message: doubt ?? 'silent', token: token.address }]
      return [{ code: 'PRICE_UNAVAILABLE', message, details, retryable: mayPass(doubt ?? 'silent') }]
    }
    if (band.basis === 'cold' || bandWidthBps(band) <= maxBandBps) return []
    const details = band.witnesses.map(({ source, lowE18, highE18, note }): ErrorDetail => {
      const says = lowE18 === null || highE18 === null ? 'nothing' : `${usdE18(lowE18)} to ${usdE18(highE18)} USD`
      return { message: `${source} says ${says}: ${note}`, token: token.address }
    })
    const message = `The sources of the price of ${token.symbol} lie ${bandWidthBps(band)} bps apart, above the ${maxBandBps} of the policy.`
    // One of them lags behind as a rule, and follows.
    return [{ code: 'PRICE_UNAVAILABLE', message, details, retryable: true }]
  })
}

/**
 * A token of which only the current price is known may be bought, within a budget, but not leave: whoever pushes its pool before
 * the call decides how little it counts as, and nothing says what it is worth.
 */
export function coldRefusals(outcomes: readonly Outcome[], priced: PricedTokens): readonly Refusal[] {
  const leaving = new Set(outcomes.flatMap(({ leaves }) => [...tokensIn(leaves)]))
  return [...leaving].flatMap((key): readonly Refusal[] => {
    const entry = priced.get(key)
    if (entry?.band?.basis !== 'cold') return []
    const { symbol, address: token } = entry.token
    return [
      {
        code: 'PRICE_UNAVAILABLE',
        message: `Nothing remembers yet what ${symbol} is worth: only prices of this moment are known, which anybody can set.`,
        details: [{ message: 'may be bought within coldStartUsd, not sold or deposited', token }],
        retryable: true,
        suggestion: 'Call again in half an hour, when its price has a past, or have the operator name a feed for it.',
      },
    ]
  })
}

/** Refuses a deposit into a vault whose shares cannot be given back at once: nothing measures then what they are worth. */
export function lockedRefusals({ inspected }: Pick<Moved, 'inspected'>): readonly Refusal[] {
  return inspected.vaultDeposits
    .filter(({ brings }) => brings === null)
    .map(({ deposit }) => ({
      code: 'VAULT_SHARES_LOCKED',
      message: 'The shares of this deposit cannot be redeemed at once, so it is not known what they are worth.',
      details: [
        { field: 'vault', message: 'redeeming what came fails in the simulation', vault: getAddress(deposit.vault) },
      ],
    }))
}

/** Refuses a trade that is worse than the trusted price by more than the policy allows beside the bands. */
export function impactRefusals({
  priceImpactBps,
  bounds,
  bandBps,
  outUsdMicros,
  inUsdMicros,
}: LossFacts): readonly Refusal[] {
  if (priceImpactBps === null || priceImpactBps <= bounds.maxPriceImpactBps + bandBps) return []
  const [out, back] = [usdText(outUsdMicros), usdText(inUsdMicros)]
  return [
    {
      code: 'PRICE_IMPACT_EXCEEDED',
      message: `The trade is ${priceImpactBps} bps worse than the market (${out} USD leave, ${back} USD come back); the policy allows ${bounds.maxPriceImpactBps}.`,
      details: [{ message: 'price impact', priceImpactBps, maxPriceImpactBps: bounds.maxPriceImpactBps }],
    },
  ]
}

/** Refuses a call of which an outcome loses more than it may, with both sums and the prices that they were counted with. */
export function lossRefusals(facts: LossFacts, priced: PricedTokens): readonly Refusal[] {
  const { isWithin, worst, lossBps, allowedBps, bandBps, simulated } = facts
  if (isWithin) return []
  const [out, back] = [usdText(worst.outUsdMicros), usdText(worst.inUsdMicros)]
  const tokens = [...new Set([...tokensIn(simulated.leaves), ...tokensIn(simulated.arrives)])]
  const prices = tokens.flatMap((key): readonly ErrorDetail[] => {
    const entry = priced.get(key)
    if (entry?.band == null) return []
    const [low, high] = [usdE18(entry.band.lowE18), usdE18(entry.band.highE18)]
    return [{ message: `${entry.token.symbol} counts as ${low} to ${high} USD`, token: entry.token.address }]
  })
  return [
    {
      code: 'VALUE_LOSS_EXCEEDED',
      message: `${out} USD would leave and as little as ${back} USD come back: ${lossBps} bps, where this call may lose ${allowedBps} (fee of the pool and ${bandBps} bps of doubt about prices included).`,
      details: [{ message: 'loss', outUsd: out, inUsd: back, lossBps, allowedBps }, ...prices],
    },
  ]
}

/** What a weighing found of a call. */
export type LossFacts = ValueVerdict & {
  readonly priceImpactBps: number | null
  readonly bounds: ValueBounds
  readonly simulated: Outcome
}

/** What nobody looked a price up of would count as nothing: the calldata permits more than the intent names. */
function refuseUnseen(token: string): Refusal {
  const message =
    'What the call may take at worst holds a token that the plan does not name, so it is not known what it is worth.'
  return { code: 'PRICE_UNAVAILABLE', message, details: [{ message: 'not looked at', token }], retryable: false }
}

function usdE18(priceE18: bigint): string {
  return usdText(priceE18 / 10n ** 12n)
}

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
