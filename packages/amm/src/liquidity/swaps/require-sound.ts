import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import { inTurns } from '@svc/runtime'
import { untrue } from './ordered-logs.ts'
import { swapFit } from './swap-fit.ts'

/**
 * Refuses swaps (in the order of the chain) that no pool can have logged: prices out of all bounds, times that run backwards or ahead of
 * the head (Unix seconds), amounts that no price between two logs pays.
 * @throws ToolError `RPC_UNAVAILABLE`
 */
export async function requireSound(pool: Pool, swaps: readonly SwapRecord[], headTimestamp: number): Promise<void> {
  await inTurns(soundness(pool, swaps, headTimestamp))
}

function* soundness(pool: Pool, swaps: readonly SwapRecord[], headTimestamp: number): Generator<void, void> {
  let last: SwapRecord | null = null
  for (const swap of swaps) {
    const { sqrtPriceX96, tick, liquidity, fee, timestamp } = swap
    if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE || tick < MIN_TICK || tick > MAX_TICK) {
      throw untrue('a swap to a price out of bounds')
    }
    if (liquidity < 0n || fee < 0 || fee > 1_000_000) throw untrue('a swap at a fee or liquidity out of bounds')
    if (timestamp > headTimestamp || timestamp < (last?.timestamp ?? 0)) throw untrue('swaps whose times do not rise')
    if (last !== null && swapFit(pool, last, swap) === 'absurd') throw untrue('a swap whose amounts no price pays')
    last = swap
    yield
  }
}
