import { priceFromSqrtPrice } from '@svc/lp-math'
import * as z from 'zod'
import { keepingTokens } from '../../analysis/detect-transfer-fee.ts'
import { hookPermissions } from '../../analysis/hook-permissions.ts'
import { readPoolActivity } from '../../analysis/fees/read-pool-activity.ts'
import { readTool } from '../../tool.ts'
import { namedPool, namedPoolInput } from '../named-pool.ts'
import {
  blockResult,
  blockStamp,
  notesResult,
  poolSummary,
  poolSummaryResult,
  suspectNotes,
  tokenResult,
  tokenSummary,
  usdResult,
} from '../results.ts'

export const getPoolInfo = readTool({
  name: 'get_pool_info',
  title: 'Pool overview',
  description:
    'One pool in human terms: tokens, price both ways, value held, volume, fee APR, hooks. Name it by pool, or by token0, token1 and fee. Use get_pool_state for raw integers.',
  scope: 'read:market',
  input: z.strictObject(namedPoolInput),
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
    feeApr24h: z.number().nullable().describe('Percent a year'),
    feeApr7d: z.number().nullable(),
    feeProtocol: z.int(),
    hooks: z.object({ address: z.string(), permissions: z.array(z.string()) }).nullable(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const { pool, token0, token1 } = await namedPool(input, chain, context)
  const [activity, keeping, suspects] = await Promise.all([
    readPoolActivity(context, chain, pool, context.now()),
    keepingTokens(context, chain, [token0, token1]),
    suspectNotes(context, chain, [token0, token1]),
  ])
  const sorted = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  const isInverted = token0.address !== pool.token0.address
  const price = isInverted ? 1 / sorted : sorted
  return {
    ...blockStamp(chain, context, pool.blockNumber),
    version: pool.version,
    pool: poolSummary(pool, isInverted),
    token0: tokenSummary(token0),
    token1: tokenSummary(token1),
    price,
    priceInverse: 1 / price,
    ...activity,
    notes: [...suspects, ...keeping.map(({ says }) => `${says}: less arrives than is sent.`), ...activity.notes],
    feeProtocol: pool.protocolFee,
    hooks: pool.hooks === null ? null : { address: pool.hooks, permissions: [...hookPermissions(pool.hooks)] },
  }
})
