import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { hookPermissions } from '../../adapters/analytics/hook-permissions.ts'
import { readPoolActivity } from '../../adapters/analytics/read-pool-activity.ts'
import type { Pool, Token, Version } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { readTool, type ReadContext } from '../../tool.ts'
import {
  anyVersionInput,
  chainInput,
  feeInput,
  invalidField,
  poolInput,
  poolReference,
  requireDifferentTokens,
  tokenInput,
} from '../params.ts'
import {
  blockResult,
  blockStamp,
  notesResult,
  poolSummary,
  poolSummaryResult,
  tokenResult,
  tokenSummary,
  usdResult,
} from '../results.ts'

const input = z.strictObject({
  pool: poolInput.optional(),
  token0: tokenInput.optional(),
  token1: tokenInput.optional(),
  fee: feeInput.optional(),
  chain: chainInput,
  version: anyVersionInput.optional().describe('Default v3; v4 for a pool id'),
})

export const getPoolInfo = readTool({
  name: 'get_pool_info',
  title: 'Pool overview',
  description:
    'One pool in human terms: tokens, price both ways, value held, volume, fee APR, hooks. Name it by pool, or by token0, token1 and fee. Use get_pool_state for raw integers. Prices are spot prices.',
  scope: 'read:market',
  input,
  output: z.object({
    ...blockResult,
    version: z.string(),
    pool: poolSummaryResult,
    token0: tokenResult,
    token1: tokenResult,
    price: z.number().describe('token1 per token0'),
    priceInverse: z.number(),
    tvlUsd: usdResult,
    volume24hUsd: usdResult,
    volume7dUsd: usdResult,
    feeApr24h: z.number().nullable(),
    feeApr7d: z.number().nullable(),
    feeProtocol: z.int(),
    hooks: z.object({ address: z.string(), permissions: z.array(z.string()) }).nullable(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const { pool, token0, token1 } = await findPool(input, chain, context)
  const activity = await readPoolActivity(context, chain, pool, context.now())
  const sorted = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  const price = token0.address === pool.token0.address ? sorted : 1 / sorted
  return {
    ...blockStamp(chain, context, pool.blockNumber),
    version: pool.version,
    pool: poolSummary(pool),
    token0: tokenSummary(token0),
    token1: tokenSummary(token1),
    price,
    priceInverse: 1 / price,
    ...activity,
    notes: [...activity.notes],
    feeProtocol: pool.protocolFee,
    hooks: pool.hooks === null ? null : { address: pool.hooks, permissions: [...hookPermissions(pool.hooks)] },
  }
})

type Found = { readonly pool: Pool; readonly token0: Token; readonly token1: Token }

async function findPool(request: z.output<typeof input>, chain: Chain, context: ReadContext): Promise<Found> {
  const { pool: id, token0, token1, fee } = request
  if (id !== undefined) {
    if (token0 !== undefined || token1 !== undefined || fee !== undefined) {
      throw invalidField('pool', 'A pool names itself; token0, token1 and fee belong to the other way.', accepted)
    }
    const reference = poolReference(id, request.version)
    const pool = await context.liquidity.pool(chain, reference)
    return { pool, token0: pool.token0, token1: pool.token1 }
  }
  const version = request.version ?? 'v3'
  if (token0 === undefined) throw invalidField('token0', 'Neither a pool nor a pair is named.', accepted)
  if (token1 === undefined) throw invalidField('token1', 'A pair has two tokens.', accepted)
  if (fee === undefined && version !== 'v2') throw invalidField('fee', 'A pair has a pool for each fee.', accepted)
  return findByPair({ token0, token1, fee, version }, chain, context)
}

const accepted = 'either pool, or token0 and token1 with fee (without fee for v2)'

async function findByPair(
  pair: { token0: string; token1: string; fee: number | undefined; version: Version },
  chain: Chain,
  context: ReadContext,
): Promise<Found> {
  const first = await context.tokens.resolve(chain, pair.token0, 'token0')
  const second = await context.tokens.resolve(chain, pair.token1, 'token1')
  requireDifferentTokens(chain, first, second, 'token1')
  const pools = await context.liquidity.findPools(chain, first, second, [pair.version])
  const pool = pools.find((candidate) => pair.version === 'v2' || candidate.fee === pair.fee)
  if (pool === undefined)
    throw new ToolError('POOL_NOT_FOUND', `There is no ${pair.version} pool of this pair and fee.`)
  const isSorted = pool.token0.address === first.address || pool.token1.address === second.address
  return isSorted
    ? { pool, token0: pool.token0, token1: pool.token1 }
    : { pool, token0: pool.token1, token1: pool.token0 }
}
