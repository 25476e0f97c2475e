import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import type { Pool, Ports, SwapHistory, Token } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/**
 * Change of the price of `token` in a pool's other token over the last 24 hours in percent, out of swap logs; null where
 * the logs do not reach back that far. `nowMs` is Unix milliseconds.
 */
export async function readPriceChange(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  token: Token,
  nowMs: number,
): Promise<number | null> {
  const dayAgo = Math.floor(nowMs / 1000) - 86_400
  const history = await readSwaps(ports, chain, pool, dayAgo - marginSeconds)
  if (history === null || history.completeFrom > dayAgo) return null
  const before = history.swaps.findLast((swap) => swap.timestamp <= dayAgo)
  const then = before ?? history.swaps.find((swap) => swap.timestamp > dayAgo)
  if (then === undefined) return 0
  const growth = priceOf(pool, pool.sqrtPriceX96) / priceOf(pool, then.sqrtPriceX96)
  return Math.round(((isSide(chain, pool.token1, token) ? 1 / growth : growth) - 1) * 1e6) / 1e4
}

/** How much earlier than a day ago to look for the swap that set the price then. */
const marginSeconds = 7200

async function readSwaps(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  from: number,
): Promise<SwapHistory | null> {
  try {
    return await ports.liquidity.swaps(chain, pool, from)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

function priceOf(pool: Pool, sqrtPriceX96: bigint): number {
  return priceFromSqrtPrice(sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
}

/** Whether a pool's side is the token, the native currency and its wrapped form being one. */
function isSide(chain: Chain, side: Token, token: Token): boolean {
  const own = (one: Token) => (one.isNative ? chain.wrappedNative.address : one.address)
  return own(side) === own(token)
}
