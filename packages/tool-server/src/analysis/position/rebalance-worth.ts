import { type Pool, type Position, type RebalancePreview, type UsdPrice, ToolError } from '@svc/amm'
import { withinTime } from '@svc/runtime'
import { estimateFeeApy, type FeeApyEstimate } from '../fees/estimate-fee-apy.ts'
import { feeBpsOf, sumUsd, valueUsd, readGasPrice, typicalGas } from '../value-usd.ts'
import { fullRangeTicks, priceFromTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import type { Ports } from '../../ports.ts'

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

/**
 * Whether it would pay to move a position into a range of the same width around the price: what gas and swap cost against what the new
 * range earns more a day, if the pool traded as in the last 7 days. It plans and asks for prices, signs nothing and never rejects: what cannot
 * be worked out in time is `null`, and `why` says so.
 */
export async function checkRebalance(
  ports: Pick<Ports, 'rpc' | 'tokens' | 'prices' | 'liquidity'>,
  chain: Chain,
  position: Position,
  { nowMs, paysWithinDays, withinMs = 20_000 }: CheckOptions,
): Promise<RebalanceCheck> {
  const widest = fullRangeTicks(position.pool.tickSpacing ?? 1)
  if (position.tickLower <= widest.tickLower && position.tickUpper >= widest.tickUpper)
    return unknownWorth('The range has no ends: there is none to move into.')
  const work = weigh(ports, chain, position, { nowMs, paysWithinDays, withinMs }).catch((error: unknown) =>
    unknownWorth(`It could not be planned (${error instanceof ToolError ? error.code : 'INTERNAL'}).`),
  )
  return withinTime(work, withinMs, unknownWorth('The endpoint took too long.'))
}

export const rebalanceCheck = z.object({
  pays: z.boolean().nullable(),
  costUsd: z.number().nullable(),
  moreUsdPerDay: z.number().nullable(),
  paysBackDays: z.number().nullable(),
  why: z.string(),
})

export type RebalanceCheck = Readonly<z.output<typeof rebalanceCheck>>

export type CheckOptions = {
  readonly nowMs: number
  readonly paysWithinDays: number
  readonly withinMs?: number
}

export function unknownWorth(why: string): RebalanceCheck {
  return { pays: null, costUsd: null, moreUsdPerDay: null, paysBackDays: null, why }
}

async function weigh(
  ports: Pick<Ports, 'rpc' | 'tokens' | 'prices' | 'liquidity'>,
  chain: Chain,
  position: Position,
  { nowMs, paysWithinDays, withinMs }: Required<CheckOptions>,
): Promise<RebalanceCheck> {
  const { pool, tickLower, tickUpper } = position
  const { token0, token1 } = pool
  const apyOf = estimateFeeApy(ports, chain, { pool, createsPool: false }, nowMs)
  const half = Math.floor((tickUpper - tickLower) / 2)
  const priceAt = (tick: number) => priceFromTick(tick, token0.decimals, token1.decimals)
  const plan = ports.liquidity.planRebalance(chain, position, {
    range: { priceLower: priceAt(pool.tick - half), priceUpper: priceAt(pool.tick + half) },
    inverted: false,
    swapToRatio: true,
    slippageBps: 50,
    deadline: Math.floor(nowMs / 1000) + 600,
    recipient: position.owner,
  })
  const usd = [ports.prices.usd(chain, token0), ports.prices.usd(chain, token1)] as const
  const [{ preview }, gas, ...prices] = await Promise.all([plan, readGasPrice(ports, chain), ...usd])
  const worth = await moveWorth(position, preview, { isInverted: false, prices, apyOf, withinMs })
  const { swapUsd, dailyUsd, oldDailyUsd, notes } = worth
  const gasUsd = gas.costUsd(typicalGas.decrease + typicalGas.mint + (preview.swap === null ? 0n : typicalGas.swap))
  if (swapUsd === null || dailyUsd === null || oldDailyUsd === null || gasUsd === null)
    return unknownWorth(notes[0] ?? 'A token has no trustworthy price.')
  return verdict(swapUsd + gasUsd, dailyUsd - oldDailyUsd, paysWithinDays)
}

function verdict(costUsd: number, moreUsdPerDay: number, paysWithinDays: number): RebalanceCheck {
  const days = moreUsdPerDay > 0 ? costUsd / moreUsdPerDay : null
  const pays = days !== null && days <= paysWithinDays
  const figures = { costUsd: cents(costUsd), moreUsdPerDay: cents(moreUsdPerDay) }
  const costs = `Gas and swap cost about ${costUsd.toFixed(2)} USD`
  const why =
    days === null
      ? `${costs}, and a range of this width around the price earns no more.`
      : `${costs}, earned back in about ${Number(days.toPrecision(2))} days by ${moreUsdPerDay.toFixed(2)} USD a day more, if it trades as in the last 7 days.`
  return { pays, ...figures, paysBackDays: days === null ? null : Number(days.toPrecision(3)), why }
}

function cents(usd: number): number {
  return Math.round(usd * 100) / 100
}
