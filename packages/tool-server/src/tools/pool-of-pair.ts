import type { Chain } from '@svc/wallet/core'
import type { Hex } from 'viem'
import { type Pool, type Token, tokenLabel } from '@svc/amm'
import type { ReadContext } from '../tool.ts'
import type { FoundPool } from './named-pool.ts'
import { noPool } from './no-pool.ts'
import { invalidField, requireDifferentTokens } from './params.ts'
import { poolById } from './pool-by-id.ts'

/**
 * The v3 or v4 pool of a pair and fee that has the most liquidity, of any fee where none is named, or the one that `pool` names (the only
 * way to a pool with hooks), with its tokens in the caller's order. Throws `NO_POOL`, `TOKEN_NOT_FOUND`, and for a named pool
 * `POOL_NOT_FOUND` and `VALIDATION_FAILED` where it is not of the pair and fee.
 */
export async function poolOfPair(pair: PairOfPool, chain: Chain, context: ReadContext): Promise<FoundPool> {
  const first = await context.tokens.resolve(chain, pair.token0, 'token0')
  const second = await context.tokens.resolve(chain, pair.token1, 'token1')
  requireDifferentTokens(chain, first, second, 'token1')
  if (pair.pool !== undefined) {
    const pool = await poolById({ id: pair.pool, version: undefined, versions: 'ranged' }, chain, context)
    requirePair(pool, [first, second], context.tokens.wrapped(chain))
    if (pair.fee !== undefined && pair.fee !== pool.fee) {
      throw invalidField('fee', 'The named pool has another fee.', String(pool.fee))
    }
    return ordered(pool, first, second)
  }
  const pools = await context.liquidity.findPools(chain, first, second, versions)
  const pool = pools.find(({ fee }) => pair.fee === undefined || fee === pair.fee)
  if (pool === undefined) {
    const wanted = `v3 or v4 pool${pair.fee === undefined ? '' : ` with the fee ${pair.fee}`}`
    const field = pools.length === 0 ? 'token1' : 'fee'
    const all = await context.liquidity.findPools(chain, first, second)
    throw noPool('NO_POOL', { chain, tokens: [first, second], wanted, versions, field }, all)
  }
  return ordered(pool, first, second)
}

export type PairOfPool = {
  readonly token0: string
  readonly token1: string
  readonly fee?: number | undefined
  readonly pool?: Hex | undefined
}

const versions = ['v3', 'v4'] as const

function ordered(pool: Pool, first: Token, second: Token): FoundPool {
  const isSorted = pool.token0.address === first.address || pool.token1.address === second.address
  return isSorted
    ? { pool, token0: pool.token0, token1: pool.token1 }
    : { pool, token0: pool.token1, token1: pool.token0 }
}

/** In v3 the native currency stands for its wrapped token. */
function requirePair(pool: Pool, tokens: readonly Token[], wrapped: Token): void {
  const known = (token: Token) => (token.isNative && pool.version === 'v3' ? wrapped : token).address
  const asked = new Set(tokens.map(known))
  const sides = [pool.token0, pool.token1]
  if (sides.every(({ address }) => asked.has(address))) return
  throw invalidField('pool', 'This pool is of another pair.', sides.map(tokenLabel).join(' and '))
}
