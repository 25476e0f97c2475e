import { priceFromSqrtPrice } from '@svc/lp-math'
import * as z from 'zod'
import { keepingTokens } from '../../analysis/detect-transfer-fee.ts'
import { namedPool, namedPoolInput } from '../named-pool.ts'
import { hookPermissions } from '../../analysis/hook-permissions.ts'
import { readPoolActivity, inTime, readLastDay } from '../../analysis/fees/read-pool-activity.ts'
import { readTool } from '../../tool.ts'
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
  pageOf,
  symbolsOf,
} from '../results.ts'
import { documented, sixDigits } from '../../analysis/figures.ts'
import {
  addressInput,
  anyVersionInput,
  chainInput,
  cursorInput,
  limitInput,
  requireDifferentTokens,
  tokenInput,
  numberWithin,
} from '../params.ts'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import type { Pool, Token } from '@svc/amm'
import type { ReadContext } from '../../tool-context.ts'

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

const usdInput = numberWithin(0, Number.POSITIVE_INFINITY, 'a number of US dollars, 0 or more').optional()

export const searchPools = readTool({
  name: 'search_pools',
  title: 'Search pools',
  description:
    'Pools of v2, v3 and v4 between the listed tokens of a chain, or of one token with them, by value held, volume or fee APR of the last day. get_pools_by_token_pair is for one pair.',
  scope: 'read:market',
  input: z.strictObject({
    chain: chainInput,
    token: tokenInput.optional(),
    minTvlUsd: usdInput,
    minVolumeUsd: usdInput.describe('Of 24 hours'),
    sort: z.enum(['tvl', 'volume', 'fee_apr'], { error: 'Accepted: tvl, volume or fee_apr' }).default('tvl'),
    limit: limitInput,
    cursor: cursorInput,
  }),
  output: z.object({
    ...blockResult,
    items: z.array(
      poolSummaryResult.extend({
        version: z.string(),
        tvlUsd: usdResult,
        volume24hUsd: usdResult,
        feeApr24h: z.number().nullable().describe('Percent a year'),
        token0Symbol: z.string(),
        token1Symbol: z.string(),
      }),
    ),
    nextCursor: z.string().nullable(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const token = input.token === undefined ? null : await context.tokens.resolve(chain, input.token, 'token')
  const pools = await findPools(context, chain, token)
  const ports = inTime(context)
  const needsTrading = input.sort !== 'tvl' || input.minVolumeUsd !== undefined
  const showsAll = pools.length <= input.limit && input.cursor === undefined
  // Of pools that are all wanted the trading is read beside what they hold.
  const isTraded = input.minTvlUsd === undefined && (needsTrading || showsAll)
  const sized = await sizedPools(context, chain, pools, isTraded ? ports : null)
  const deep = sized.filter(({ tvlUsd }) => reaches(tvlUsd ?? 0, input.minTvlUsd))
  const candidates = needsTrading && !isTraded ? await withTrading(ports, chain, deep) : deep
  const wanted = candidates
    .filter(({ volume24hUsd }) => reaches(volume24hUsd ?? -1, input.minVolumeUsd))
    .toSorted((a, b) => (b[sortedBy[input.sort]] ?? -1) - (a[sortedBy[input.sort]] ?? -1))
  const page = pageOf(wanted, input.limit, input.cursor)
  const shown = needsTrading || isTraded ? page.items : await withTrading(ports, chain, page.items)
  const unreported = (needsTrading ? candidates : shown).filter(({ volume24hUsd }) => volume24hUsd === null).length
  const unsized = sized.filter(({ isContradictory }) => isContradictory).length
  return {
    ...blockStamp(chain, context, pools[0]?.blockNumber ?? (await context.rpc.head(chain)).number),
    items: shown.map(({ pool, tvlUsd, volume24hUsd, feeApr24h }) => {
      const symbols = { token0Symbol: pool.token0.symbol, token1Symbol: pool.token1.symbol }
      return Object.assign(poolSummary(pool), { version: pool.version, tvlUsd, volume24hUsd, feeApr24h, ...symbols })
    }),
    nextCursor: page.nextCursor,
    notes: [
      ...(await suspectNotes(
        context,
        chain,
        shown.flatMap(({ pool }) => [pool.token0, pool.token1]),
      )),
      ...(unreported === 0
        ? []
        : [`The trading of ${unreported} pools is not known, or was left out to answer in time.`]),
      ...(unsized === 0
        ? []
        : [`Of ${unsized} pools it is not known what they hold: ticks and liquidity contradict each other.`]),
    ],
  }
})

/** By the figure that an answer shows, so that a floor copied from an answer keeps the pool it was copied from. */
function reaches(usd: number, floorUsd: number | undefined): boolean {
  return floorUsd === undefined || usd >= floorUsd || sixDigits(usd) >= floorUsd
}

type Sized = {
  readonly pool: Pool
  readonly tvlUsd: number | null
  readonly isContradictory: boolean
  readonly volume24hUsd: number | null
  readonly feeApr24h: number | null
}

const sortedBy = { tvl: 'tvlUsd', volume: 'volume24hUsd', fee_apr: 'feeApr24h' } as const

/** Every pool between the native currency and the listed tokens, or between one token and those; each once. */
async function findPools(context: ReadContext, chain: Chain, token: Token | null): Promise<Pool[]> {
  const addresses = [zeroAddress, ...chain.tokens.map(({ address }) => address)]
  const own = addresses.map((address) => context.tokens.byAddress(chain, address))
  const listed = [...(await Promise.all(own)), ...(await context.tokens.listedByPolicy(chain))].slice(0, mostTokens)
  const pairs = listed.flatMap((one, index) =>
    token === null ? listed.slice(index + 1).map((other) => [one, other] as const) : [[token, one] as const],
  )
  const found = await Promise.all(
    pairs.filter(([a, b]) => a.address !== b.address).map(([a, b]) => context.liquidity.findPools(chain, a, b)),
  )
  return [...new Map(found.flat().map((pool) => [pool.id, pool])).values()]
}

/** Deepest first; with their trading where there are ports for that. */
async function sizedPools(
  context: ReadContext,
  chain: Chain,
  pools: readonly Pool[],
  trading: ReadContext | null,
): Promise<Sized[]> {
  const nowMs = context.now()
  const sized = await Promise.all(
    pools.map(async (pool) => {
      const size = readPoolActivity(context, chain, pool, nowMs, { tradingDays: 0 })
      const day = trading === null ? unread : readLastDay(trading, { chain, pool, size, nowMs })
      const [{ tvlUsd, isContradictory }, lastDay] = await Promise.all([size, day])
      return { pool, tvlUsd, isContradictory, ...lastDay }
    }),
  )
  return sized.toSorted((a, b) => (b.tvlUsd ?? -1) - (a.tvlUsd ?? -1))
}

const unread = { volume24hUsd: null, feeApr24h: null }

/** In the reading of get_pool_info, so that both say the same of a day. */
async function withTrading(ports: ReadContext, chain: Chain, pools: readonly Sized[]): Promise<Sized[]> {
  const nowMs = ports.now()
  return Promise.all(
    pools.map(async (size) => ({ ...size, ...(await readLastDay(ports, { chain, pool: size.pool, size, nowMs })) })),
  )
}

const mostTokens = 12
