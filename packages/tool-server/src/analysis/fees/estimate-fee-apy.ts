import { feeGrowthFromSwapsInSteps, getAmountsForLiquidity, getSqrtPriceAtTick, unpackProtocolFee } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { BlockTime, Pool, SwapHistory, SwapRecord } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import { inTurns } from '@svc/runtime'
import { boundNote } from '@svc/amm/history'
import { lpFeeShare } from '@svc/amm/liquidity'

/**
 * What a position would earn in fees within a year, in percent of its value, if the next year traded like the last 7 days:
 * the pool's fee growth inside the range out of its Swap logs, thinned by the position's own liquidity, both sides valued at
 * the pool's price, times 365/7. Fees do not compound by themselves, so nothing is compounded here.
 *
 * The history is asked for at once, beside whatever else is under way, and held against a position once that is known. `at` is the newest
 * block, where it has just been read. `liquidity` is the position's own, `pool` the state before it was added, `nowMs` Unix milliseconds. Never throws, because
 * it is asked after a transaction was mined: without a complete history the answer is null and a note says why.
 */
export function estimateFeeApy(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  { pool, createsPool }: Pick<EarningPosition, 'pool' | 'createsPool'>,
  nowMs: number,
  at?: BlockTime,
): (position: EarningPosition) => Promise<FeeApyEstimate> {
  if (createsPool) {
    return async () => unknown('The pool is new: it has no trading history for estimatedFeeApy7d.')
  }
  const from = Math.floor(nowMs / 1000) - windowDays * 86_400
  const limits = at === undefined ? {} : { head: at }
  const reading = (async () => ports.liquidity.swaps(chain, pool, from - marginSeconds, undefined, limits))()
  reading.catch(() => undefined)
  return async (position) => {
    try {
      return await estimateOf(await reading, position, from)
    } catch {
      return unknown('The swap logs of the last 7 days could not be read: no estimatedFeeApy7d.')
    }
  }
}

async function estimateOf(history: SwapHistory, position: EarningPosition, from: number): Promise<FeeApyEstimate> {
  if (history.completeFrom > from)
    return unknown('The swap logs of the last 7 days are incomplete: no estimatedFeeApy7d.')
  const firstInside = history.swaps.findIndex((swap) => swap.timestamp >= from)
  const swaps = firstInside === -1 ? [] : history.swaps.slice(Math.max(0, firstInside - 1))
  const { part, boundSwaps } =
    position.pool.version === 'v2'
      ? { part: pairYield(position, swaps), boundSwaps: 0 }
      : await rangeYield(position, swaps)
  const notes = boundSwaps === 0 ? [] : [boundNote(boundSwaps)]
  return { apyPct: Math.round(part * (365 / windowDays) * 1e6) / 1e4, notes }
}

export type EarningPosition = {
  readonly pool: Pool
  readonly createsPool: boolean
  /** Null for v2. */
  readonly tickLower: number | null
  readonly tickUpper: number | null
  readonly liquidity: bigint
}

export type FeeApyEstimate = { readonly apyPct: number | null; readonly notes: readonly string[] }

/** A pair has none; its fees are not reckoned from growth. */
const protocolFeeForms = { v2: 'v3', v3: 'v3', v4: 'v4' } as const

const windowDays = 7
/** How much earlier to look for the swap that set the price the window starts at. */
const marginSeconds = 7200

type RangeYield = { readonly part: number; readonly boundSwaps: number }

/** Fees over value in the window for a range; the first swap only sets the price the growth starts from. */
async function rangeYield(position: EarningPosition, swaps: readonly SwapRecord[]): Promise<RangeYield> {
  const { pool, tickLower, tickUpper, liquidity } = position
  const [first, ...later] = swaps
  if (first === undefined || tickLower === null || tickUpper === null || liquidity === 0n)
    return { part: 0, boundSwaps: 0 }
  const growth = feeGrowthFromSwapsInSteps({
    start: first,
    swaps: later.map((swap) => ({
      amount0: swap.amount0,
      amount1: swap.amount1,
      sqrtPriceX96After: swap.sqrtPriceX96,
      liquidity: swap.liquidity,
      feePips: swap.fee,
    })),
    feePips: pool.fee,
    protocolFee: unpackProtocolFee(protocolFeeForms[pool.version], pool.protocolFee),
    tickLower,
    tickUpper,
    // The position was not there: where the price passed without liquidity, it would have been bought and paid less.
    boundByInput: true,
  })
  const { growth0X128, growth1X128, boundSwaps = 0 } = await inTurns(growth)
  const held = getAmountsForLiquidity(
    pool.sqrtPriceX96,
    getSqrtPriceAtTick(tickLower),
    getSqrtPriceAtTick(tickUpper),
    liquidity,
    false,
  )
  const value = inToken1(pool, Number(held.amount0), Number(held.amount1))
  const earned = inToken1(pool, Number(growth0X128), Number(growth1X128)) * (Number(liquidity) / 2 ** 128)
  const part = value === 0 ? 0 : (earned / value) * dilution(swaps, tickLower, tickUpper, liquidity)
  return { part, boundSwaps }
}

/** Fees over reserves in the window for a pair: every share earns alike. */
function pairYield({ pool, liquidity }: EarningPosition, swaps: readonly SwapRecord[]): number {
  let fees = 0
  for (const swap of swaps.slice(1)) {
    const paidIn = inToken1(pool, Math.max(0, Number(swap.amount0)), Math.max(0, Number(swap.amount1)))
    fees += ((paidIn * swap.fee) / 1e6) * lpFeeShare(pool, swap.fee, swap.amount0 > 0n)
  }
  const reserves = inToken1(pool, Number(pool.reserve0 ?? 0n), Number(pool.reserve1 ?? 0n))
  return reserves === 0 ? 0 : (fees / reserves) * (Number(pool.liquidity) / Number(pool.liquidity + liquidity))
}

/** The share left to others' growth once the own liquidity stands beside the average liquidity that earned in the range. */
function dilution(swaps: readonly SwapRecord[], tickLower: number, tickUpper: number, own: bigint): number {
  const inside = swaps.filter((swap) => swap.tick >= tickLower && swap.tick < tickUpper)
  if (inside.length === 0) return 1
  const average = inside.reduce((sum, swap) => sum + Number(swap.liquidity), 0) / inside.length
  return average / (average + Number(own))
}

/** Raw amounts of both tokens in raw token1 at the pool's price. */
function inToken1(pool: Pool, amount0: number, amount1: number): number {
  const sqrtPrice = Number(pool.sqrtPriceX96) / 2 ** 96
  return amount0 * sqrtPrice * sqrtPrice + amount1
}

function unknown(note: string): FeeApyEstimate {
  return { apyPct: null, notes: [note] }
}
