import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { anyVersionInput, chainInput, poolInput, rangedVersionInput, wholeNumber } from '../params.ts'
import { poolById } from '../named-pool.ts'
import { blockResult, blockStamp, poolSummary, poolSummaryResult, notesResult } from '../results.ts'
import { MAX_TICK, MIN_TICK, priceFromTick } from '@svc/lp-math'
import { activeLiquidity, mostTicks } from '@svc/amm/liquidity'
import type { Pool } from '@svc/amm'

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

const tickInput = wholeNumber(MIN_TICK, MAX_TICK, 'a whole number from -887272 to 887272').optional()

const input = z
  .strictObject({
    pool: poolInput,
    chain: chainInput,
    version: rangedVersionInput.optional().describe('Default v3; v4 for a pool id'),
    aroundPct: z
      .number({ error: 'Accepted: a number above 0 and below 100' })
      .refine((value) => value > 0 && value < 100, 'Accepted: a number above 0 and below 100')
      .optional()
      .describe('Each side of the price; default 20'),
    tickLower: tickInput,
    tickUpper: tickInput,
    maxTicks: wholeNumber(1, 500, 'a whole number from 1 to 500').default(500),
  })
  .superRefine((value, check) => {
    const { tickLower, tickUpper, aroundPct } = value
    const issue = (field: string, message: string) => check.addIssue({ code: 'custom', path: [field], message })
    if ((tickLower === undefined) !== (tickUpper === undefined)) {
      issue(tickLower === undefined ? 'tickLower' : 'tickUpper', 'Accepted: both tickLower and tickUpper, or neither')
    } else if (tickLower !== undefined && tickUpper !== undefined) {
      if (aroundPct !== undefined) issue('aroundPct', 'Accepted: either aroundPct, or tickLower and tickUpper')
      if (tickLower >= tickUpper) issue('tickLower', 'Accepted: a tick below tickUpper')
    }
  })

export const getTickData = readTool({
  name: 'get_tick_data',
  title: 'Liquidity by tick',
  description:
    "Initialised ticks of a v3 or v4 pool around the price or between two ticks, with the liquidity active from each one on. Price is the pool's token1 per token0.",
  scope: 'read:market',
  input,
  output: z.object({
    ...blockResult,
    pool: poolSummaryResult,
    currentTick: z.int(),
    ticks: z.array(
      z.object({
        tick: z.int(),
        price: z.number(),
        liquidityNet: z.string().describe('Added as the price rises past it'),
        liquidityGross: z.string(),
        activeLiquidity: z.string(),
      }),
    ),
    truncated: z.boolean(),
    notes: notesResult,
  }),
}).handler(async (request, context) => {
  const chain = context.chains.get(request.chain)
  const pool = await poolById({ id: request.pool, version: request.version, versions: 'ranged' }, chain, context)
  const [lower, upper] = bandOf(request, pool)
  const from = Math.min(lower, pool.tick)
  const to = Math.max(upper, pool.tick)
  const rows = await context.liquidity.ticks(chain, pool, from, to)
  const active = activeLiquidity(pool, rows)
  const all = rows
    .map((row, index) => ({
      tick: row.tick,
      price: priceFromTick(row.tick, pool.token0.decimals, pool.token1.decimals),
      liquidityNet: String(row.liquidityNet),
      liquidityGross: String(row.liquidityGross),
      activeLiquidity: String(active[index] ?? 0n),
    }))
    .filter((row) => row.tick >= lower && row.tick <= upper)
  const ticks = nearest(all, pool.tick, request.maxTicks)
  const isCut = rows.length >= mostTicks
  const truncated = ticks.length < all.length || isCut
  return {
    ...blockStamp(chain, context, pool.blockNumber),
    pool: poolSummary(pool),
    currentTick: pool.tick,
    ticks,
    truncated,
    notes: [
      `The liquidity active at currentTick is ${pool.liquidity}: a tick is listed only where it changes.`,
      ...(truncated
        ? [`${all.length}${isCut ? ' or more' : ''} ticks are initialised there; these are the nearest to the price.`]
        : []),
    ],
  }
})

const defaultAroundPct = 20

function bandOf(request: z.output<typeof input>, pool: Pool): readonly [number, number] {
  if (request.tickLower !== undefined && request.tickUpper !== undefined) return [request.tickLower, request.tickUpper]
  const share = (request.aroundPct ?? defaultAroundPct) / 100
  const ticksOf = (ratio: number) => Math.log(ratio) / Math.log(1.0001)
  return [
    Math.max(MIN_TICK, Math.floor(pool.tick + ticksOf(1 - share))),
    Math.min(MAX_TICK, Math.ceil(pool.tick + ticksOf(1 + share))),
  ]
}

function nearest<Row extends { readonly tick: number }>(rows: readonly Row[], tick: number, count: number): Row[] {
  return [...rows]
    .sort((a, b) => Math.abs(a.tick - tick) - Math.abs(b.tick - tick))
    .slice(0, count)
    .sort((a, b) => a.tick - b.tick)
}
