import {
  applyPoolEvent,
  createPoolState,
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  swapInPool,
  type PoolEvent,
} from '@svc/lp-math'
import type { SwapRecord } from '../ports.ts'

/**
 * Days of a v3 pool of 0.3 % with one provider in ±600 ticks, out of the exact replay: a trade each hour, back and forth, and at noon
 * one down to `pushedTo`, which the next hour brings back; `dust` is liquidity at all prices. With it what the pool itself counted.
 */
export function swapsThroughAGap({ days, startsAt, pushedTo, dust = 0n }: GapOptions) {
  const state = createPoolState({ feePips: 3_000, tickSpacing: 60 })
  const apply = (event: PoolEvent) => applyPoolEvent(state, event)
  apply({ eventName: 'Initialize', args: { sqrtPriceX96: 2n ** 96n, tick: 0 }, timestamp: startsAt - 100 })
  const mint = (reach: number, amount: bigint) => {
    const [tickLower, tickUpper] = [-reach, reach]
    const owed = getAmountsForLiquidity(
      2n ** 96n,
      getSqrtPriceAtTick(tickLower),
      getSqrtPriceAtTick(tickUpper),
      amount,
      true,
    )
    const args = { owner: '0x0000000000000000000000000000000000000001', tickLower, tickUpper, amount, ...owed } as const
    apply({ eventName: 'Mint', args, timestamp: startsAt - 50 })
  }
  mint(600, 10n ** 24n)
  if (dust > 0n) mint(887_220, dust)
  const swaps: SwapRecord[] = []
  const push = (tick: number, timestamp: number) => {
    const sqrtPriceLimitX96 = getSqrtPriceAtTick(tick)
    const zeroForOne = sqrtPriceLimitX96 < state.sqrtPriceX96
    const amountSpecified = 10n ** 30n
    const swap = swapInPool(state, { zeroForOne, exactIn: true, amountSpecified, sqrtPriceLimitX96, timestamp })
    swaps.push({ ...swap, timestamp, blockNumber: BigInt(timestamp), logIndex: 0, transactionHash: '0x', fee: 3_000 })
  }
  for (let hour = 0; hour < 24 * days; hour++) {
    const timestamp = startsAt + hour * 3_600
    push(hour % 2 === 1 ? 20 : -20, timestamp + 10)
    if (pushedTo !== null && hour % 24 === 12) push(pushedTo, timestamp + 3_000)
  }
  const counted = [state.feeGrowthGlobal0X128, state.feeGrowthGlobal1X128].map((growth) => Number(growth) / 2 ** 128)
  return { swaps, state, counted: { token0: counted[0] ?? 0, token1: counted[1] ?? 0 } }
}

export type GapOptions = {
  readonly days: number
  /** Unix seconds. */
  readonly startsAt: number
  readonly pushedTo: number | null
  readonly dust?: bigint
}
