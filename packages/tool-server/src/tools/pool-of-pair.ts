import type { Chain } from '@svc/wallet/core'
import { ToolError } from '../tool-error.ts'
import type { ReadContext } from '../tool.ts'
import type { FoundPool } from './named-pool.ts'
import { requireDifferentTokens } from './params.ts'

/**
 * The v3 or v4 pool of a pair and fee that has the most liquidity, of any fee where none is named, with its tokens in the caller's order.
 * Throws `NO_POOL`, `TOKEN_NOT_FOUND`.
 */
export async function poolOfPair(
  pair: { readonly token0: string; readonly token1: string; readonly fee?: number | undefined },
  chain: Chain,
  context: ReadContext,
): Promise<FoundPool> {
  const first = await context.tokens.resolve(chain, pair.token0, 'token0')
  const second = await context.tokens.resolve(chain, pair.token1, 'token1')
  requireDifferentTokens(chain, first, second, 'token1')
  const pools = await context.liquidity.findPools(chain, first, second, ['v3', 'v4'])
  const pool = pools.find(({ fee }) => pair.fee === undefined || fee === pair.fee)
  if (pool === undefined) {
    const fees = [...new Set(pools.map(({ fee }) => fee))].toSorted((a, b) => a - b).map(String)
    throw new ToolError('NO_POOL', 'There is no v3 or v4 pool of this pair and fee.', {
      details: [{ field: pair.fee === undefined ? 'token1' : 'fee', message: 'No such pool.', accepted: fees }],
    })
  }
  const isSorted = pool.token0.address === first.address || pool.token1.address === second.address
  return isSorted
    ? { pool, token0: pool.token0, token1: pool.token1 }
    : { pool, token0: pool.token1, token1: pool.token0 }
}
