import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Pool, type Token, ToolError } from '@svc/amm'
import type { Ports } from '../ports.ts'

/**
 * Change of the price of `token` in a pool's other token over the last 24 hours in percent, out of swap logs; null where they
 * cannot be had. Only logs around that time are read, not those of the whole day. `nowMs` is Unix milliseconds.
 */
export async function readPriceChange(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  token: Token,
  nowMs: number,
): Promise<number | null> {
  try {
    const then = await priceDayAgo(ports, chain, pool, Math.floor(nowMs / 1000) - 86_400)
    if (then === null) return null
    const growth = priceOf(pool, pool.sqrtPriceX96) / priceOf(pool, then)
    return Math.round(((isSide(chain, pool.token1, token) ? 1 / growth : growth) - 1) * 1e6) / 1e4
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** How far before the moment to look for the swap that set the price then: first near, then far. */
const lookbacksSeconds = [600, 6 * 3600] as const

/** The price that stood at a time; for a pool that was quiet around then, after the first swap since. */
async function priceDayAgo(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  time: number,
): Promise<bigint | null> {
  for (const lookback of lookbacksSeconds) {
    const { swaps } = await ports.liquidity.swaps(chain, pool, time - lookback, time)
    const last = swaps.findLast((swap) => swap.timestamp <= time)
    if (last !== undefined) return last.sqrtPriceX96
  }
  const { swaps, complete } = await ports.liquidity.swaps(chain, pool, time)
  return complete ? (swaps[0]?.sqrtPriceX96 ?? pool.sqrtPriceX96) : null
}

function priceOf(pool: Pool, sqrtPriceX96: bigint): number {
  return priceFromSqrtPrice(sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
}

/** Whether a pool's side is the token, the native currency and its wrapped form being one. */
function isSide(chain: Chain, side: Token, token: Token): boolean {
  const own = (one: Token) => (one.isNative ? chain.wrappedNative.address : one.address)
  return own(side) === own(token)
}
