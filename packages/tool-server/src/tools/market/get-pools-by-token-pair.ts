import * as z from 'zod'
import { inTime, readPoolActivity } from '../../analysis/fees/read-pool-activity.ts'
import { documented } from '../../analysis/documented.ts'
import { readTool } from '../../tool.ts'
import {
  addressInput,
  anyVersionInput,
  chainInput,
  cursorInput,
  limitInput,
  requireDifferentTokens,
  tokenInput,
} from '../params.ts'
import {
  blockResult,
  blockStamp,
  notesResult,
  pageOf,
  poolSummary,
  poolSummaryResult,
  symbolsOf,
  usdResult,
} from '../results.ts'

export const getPoolsByTokenPair = readTool({
  name: 'get_pools_by_token_pair',
  title: 'Pools of a token pair',
  description:
    'Pools of two tokens in v2, v3 and v4, most liquidity at the price first, with value held, volume and fee APR of 7 days. Finds v4 pools by standard and listed keys only.',
  scope: 'read:market',
  input: z.strictObject({
    token0: tokenInput,
    token1: tokenInput,
    chain: chainInput,
    version: anyVersionInput.optional(),
    hooks: addressInput.optional().describe('Only v4 pools with this hook'),
    limit: limitInput,
    cursor: cursorInput,
  }),
  output: z.object({
    ...blockResult,
    items: z.array(
      poolSummaryResult.extend({
        token0Symbol: documented(z.string()),
        token1Symbol: documented(z.string()),
        version: z.string(),
        tickSpacing: z.number().nullable(),
        hooks: z.string().nullable(),
        tvlUsd: usdResult,
        volume24hUsd: usdResult,
        volume7dUsd: usdResult,
        feeApr7d: z.number().nullable().describe('Percent a year'),
        notes: notesResult,
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const token0 = await context.tokens.resolve(chain, input.token0, 'token0')
  const token1 = await context.tokens.resolve(chain, input.token1, 'token1')
  requireDifferentTokens(chain, token0, token1, 'token1')
  const versions = input.version === undefined ? undefined : [input.version]
  const found = await context.liquidity.findPools(chain, token0, token1, versions)
  const head = await context.rpc.head(chain)
  const pools = found.filter((pool) => input.hooks === undefined || pool.hooks === input.hooks)
  const page = pageOf(pools, input.limit, input.cursor)
  const ports = inTime(context)
  const items = await Promise.all(
    page.items.map(async (pool) => {
      const activity = await readPoolActivity(ports, chain, pool, context.now())
      const { tvlUsd, volume24hUsd, volume7dUsd, feeApr7d, notes } = activity
      return {
        ...poolSummary(pool),
        ...symbolsOf(pool.token0, pool.token1),
        version: pool.version,
        tickSpacing: pool.tickSpacing,
        hooks: pool.hooks,
        tvlUsd,
        volume24hUsd,
        volume7dUsd,
        feeApr7d,
        notes: [...notes],
      }
    }),
  )
  return { ...blockStamp(chain, context, head.number), items, nextCursor: page.nextCursor }
})
