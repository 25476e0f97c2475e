import { type Position, ToolError } from '@svc/amm'
import { fullRangeTicks, priceFromTick } from '@svc/lp-math'
import { withinTime } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { estimateFeeApy } from '../analysis/fees/estimate-fee-apy.ts'
import { moveWorth } from '../analysis/position/move-worth.ts'
import { readGasPrice, typicalGas } from '../analysis/read-gas-price.ts'
import type { Ports } from '../ports.ts'

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
