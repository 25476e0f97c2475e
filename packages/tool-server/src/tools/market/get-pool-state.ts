import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { anyVersionInput, chainInput, poolInput } from '../params.ts'
import { poolById } from '../named-pool.ts'
import { blockResult, blockStamp, poolSummary, poolSummaryResult } from '../results.ts'

export const getPoolState = readTool({
  name: 'get_pool_state',
  title: 'Raw pool state',
  description:
    'Raw state of one pool at the newest block: sqrtPriceX96, tick, liquidity, fee growth, reserves, as integers; get_pool_info has prices and dollars.',
  scope: 'read:market',
  input: z.strictObject({
    pool: poolInput,
    chain: chainInput,
    version: anyVersionInput.optional().describe('Default v3; v4 for a pool id'),
  }),
  output: z.object({
    ...blockResult,
    version: z.string(),
    pool: poolSummaryResult,
    sqrtPriceX96: z.string(),
    tick: z.int(),
    tickSpacing: z.number().nullable(),
    liquidityRaw: z.string(),
    feeGrowthGlobal0X128: z.string().nullable(),
    feeGrowthGlobal1X128: z.string().nullable(),
    reserve0Raw: z.string().nullable(),
    reserve1Raw: z.string().nullable(),
    protocolFee: z.int(),
    hooks: z.string().nullable(),
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const pool = await poolById({ id: input.pool, version: input.version, versions: 'any' }, chain, context)
  return {
    ...blockStamp(chain, context, pool.blockNumber),
    version: pool.version,
    pool: poolSummary(pool),
    sqrtPriceX96: String(pool.sqrtPriceX96),
    tick: pool.tick,
    tickSpacing: pool.tickSpacing,
    liquidityRaw: String(pool.liquidity),
    feeGrowthGlobal0X128: textOf(pool.feeGrowthGlobal0X128),
    feeGrowthGlobal1X128: textOf(pool.feeGrowthGlobal1X128),
    reserve0Raw: textOf(pool.reserve0),
    reserve1Raw: textOf(pool.reserve1),
    protocolFee: pool.protocolFee,
    hooks: pool.hooks,
  }
})

function textOf(value: bigint | null): string | null {
  return value === null ? null : String(value)
}
