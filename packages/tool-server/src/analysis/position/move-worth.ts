import type { Pool, Position, RebalancePreview, UsdPrice } from '@svc/amm'
import { withinTime } from '@svc/runtime'
import type { estimateFeeApy, FeeApyEstimate } from '../fees/estimate-fee-apy.ts'
import { feeBpsOf, sumUsd, valueUsd } from '../value-usd.ts'

/**
 * What a move of a position into another range costs and earns, gas left out: the swap in fees and price impact, and the fees a day of both
 * ranges if the pool traded as in the last 7 days. Each is null where it is not known in time; `notes` say why.
 */
export async function moveWorth(
  position: Position,
  { opened, swap }: Pick<RebalancePreview, 'opened' | 'swap'>,
  { isInverted, prices, apyOf, withinMs }: MoveFigures,
): Promise<MoveWorth> {
  const { pool } = opened
  const estimates = [opened, { ...position, createsPool: false }].map(apyOf)
  const [apy = apyTooLate, oldApy = apyTooLate] = await withinTime(Promise.all(estimates), withinMs ?? apyTimeoutMs, [
    apyTooLate,
    apyTooLate,
  ])
  const worthOf = (amount0: bigint, amount1: bigint) =>
    sumUsd(valueUsd(amount0, pool.token0, prices[0]), valueUsd(amount1, pool.token1, prices[1]))
  const [amount0, amount1] = isInverted ? [opened.amount1, opened.amount0] : [opened.amount0, opened.amount1]
  return {
    swapUsd: swap === null ? 0 : swapCostUsd(swap, pool, prices),
    dailyUsd: dailyOf(worthOf(amount0, amount1), apy),
    oldDailyUsd: dailyOf(worthOf(position.amount0, position.amount1), oldApy),
    notes: apy.notes,
  }
}

export type MoveFigures = {
  /** Whether the amounts of what is opened stand in the other order than the pool's. */
  readonly isInverted: boolean
  readonly prices: readonly [UsdPrice | null, UsdPrice | null]
  readonly apyOf: ReturnType<typeof estimateFeeApy>
  /** How long the estimate is waited for; five seconds when absent. */
  readonly withinMs?: number | undefined
}

export type MoveWorth = {
  readonly swapUsd: number | null
  readonly dailyUsd: number | null
  readonly oldDailyUsd: number | null
  readonly notes: readonly string[]
}

/** The money waits until it is known: an answer without this figure is better than none. */
const apyTimeoutMs = 5_000
const apyTooLate = {
  apyPct: null,
  notes: ['The pool has too many swap logs to say in time what the new range would earn.'],
}

function dailyOf(worthUsd: number | null, { apyPct }: FeeApyEstimate): number | null {
  return worthUsd === null || apyPct === null ? null : (worthUsd * apyPct) / 100 / 365
}

/** What the pools' fees and the price impact take of what is swapped. */
function swapCostUsd(
  { amountIn, tokenIn, route, priceImpactBps }: NonNullable<RebalancePreview['swap']>,
  { token0 }: Pool,
  [price0, price1]: MoveFigures['prices'],
): number | null {
  const amountUsd = valueUsd(amountIn, tokenIn, tokenIn.address === token0.address ? price0 : price1)
  return amountUsd === null ? null : (amountUsd * (feeBpsOf(route) + Math.max(0, priceImpactBps))) / 10_000
}
