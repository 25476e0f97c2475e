import type { Chain } from '@svc/wallet/core'
import type * as z from 'zod'
import type { Pool, Token, Version } from '@svc/amm'
import type { ReadContext } from '../tool.ts'
import { noPool } from './no-pool.ts'
import {
  anyVersionInput,
  chainInput,
  feeInput,
  invalidField,
  poolInput,
  requireDifferentTokens,
  tokenInput,
} from './params.ts'
import { poolById } from './pool-by-id.ts'

/**
 * The pool that the members of `namedPoolInput` name, and its tokens in the caller's order. Throws `VALIDATION_FAILED` where they
 * name none or two, `POOL_NOT_FOUND` where there is none.
 */
export async function namedPool(request: NamedPool, chain: Chain, context: ReadContext): Promise<FoundPool> {
  const { pool: id, token0, token1, fee } = request
  if (id !== undefined) {
    if (token0 !== undefined || token1 !== undefined || fee !== undefined) {
      throw invalidField('pool', 'A pool names itself; token0, token1 and fee belong to the other way.', accepted)
    }
    const pool = await poolById({ id, version: request.version, versions: 'any' }, chain, context)
    return { pool, token0: pool.token0, token1: pool.token1 }
  }
  const version = request.version ?? 'v3'
  if (token0 === undefined) throw invalidField('token0', 'Neither a pool nor a pair is named.', accepted)
  if (token1 === undefined) throw invalidField('token1', 'A pair has two tokens.', accepted)
  if (fee === undefined && version !== 'v2') throw invalidField('fee', 'A pair has a pool for each fee.', accepted)
  return findByPair({ token0, token1, fee, version }, chain, context)
}

/** A pool by its id, or by its pair and fee. */
export const namedPoolInput = {
  pool: poolInput.optional(),
  token0: tokenInput.optional(),
  token1: tokenInput.optional(),
  fee: feeInput.optional(),
  chain: chainInput,
  version: anyVersionInput.optional().describe('Default v3; v4 for a pool id'),
}

export type NamedPool = z.output<z.ZodObject<typeof namedPoolInput>>

export type FoundPool = { readonly pool: Pool; readonly token0: Token; readonly token1: Token }

const accepted = 'either pool, or token0 and token1 with fee (without fee for v2)'

async function findByPair(
  pair: { token0: string; token1: string; fee: number | undefined; version: Version },
  chain: Chain,
  context: ReadContext,
): Promise<FoundPool> {
  const first = await context.tokens.resolve(chain, pair.token0, 'token0')
  const second = await context.tokens.resolve(chain, pair.token1, 'token1')
  requireDifferentTokens(chain, first, second, 'token1')
  const pools = await context.liquidity.findPools(chain, first, second, [pair.version])
  const pool = pools.find((candidate) => pair.version === 'v2' || candidate.fee === pair.fee)
  if (pool === undefined) {
    const wanted = pair.version === 'v2' ? 'v2 pair' : `${pair.version} pool with the fee ${pair.fee}`
    const all = await context.liquidity.findPools(chain, first, second)
    const field = all.length === 0 ? 'token1' : pools.length === 0 ? 'version' : 'fee'
    const lookedFor = { chain, tokens: [first, second], wanted, versions: [pair.version], field } as const
    throw noPool('POOL_NOT_FOUND', lookedFor, all)
  }
  const isSorted = pool.token0.address === first.address || pool.token1.address === second.address
  return isSorted
    ? { pool, token0: pool.token0, token1: pool.token1 }
    : { pool, token0: pool.token1, token1: pool.token0 }
}
