import type { Bars } from '@svc/lp-math'
import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { sixDigits } from '../../analysis/figures.ts'
import { namedPool, namedPoolInput } from '../named-pool.ts'
import { hookDoubt } from '../../analysis/hook-permissions.ts'
import { columnsOf, columnsResult, completenessOf, completenessResult, periodInput, periodOf } from '../period.ts'
import { blockResult, blockStamp, usdResult } from '../results.ts'

export const getPriceHistory = readTool({
  name: 'get_price_history',
  title: 'Price history of a pool',
  description:
    "High, low and close of a pool's price by hour or day, token1 per token0 in the order asked (else the pool's own). Bar i begins i intervals after start, at the close before it; open is the first's. gaps: bars without data, taken to be quiet.",
  scope: 'read:market',
  input: z.strictObject({ ...namedPoolInput, ...periodInput }),
  output: z.object({
    ...blockResult,
    pool: z.string(),
    ...columnsResult,
    open: z.number(),
    high: z.array(z.number()),
    low: z.array(z.number()),
    close: z.array(z.number()),
    gaps: z.array(z.string()),
    ...completenessResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const period = periodOf(input, context.now())
  const { pool, token0, token1 } = await namedPool(input, chain, context)
  const { signal } = context
  const history = await context.history.read({ chain, pool, ...period, signal, needs: 'prices' })
  const { bars } = history
  const isSorted = token0.address === pool.token0.address || token1.address === pool.token1.address
  const scale = 10 ** (pool.token0.decimals - pool.token1.decimals)
  return {
    ...blockStamp(chain, context, pool.blockNumber, history.source),
    pool: pool.id,
    ...columnsOf(bars),
    ...pricesOf(bars, (tick) => sixDigits(isSorted ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale)),
    gaps: runsOf(history.completeness.gapsAt.map((at) => (at - (bars.startsAt[0] ?? 0)) / bars.barSeconds)),
    ...completenessOf(history),
  }
})

/** A pool's price moves by trades alone: each bar opens at the close before it, which belongs to it. */
function pricesOf({ openTick, lowTick, highTick, closeTick }: Bars, priceAt: (tick: number) => number) {
  const prices = (column: Float64Array) => Array.from(column, priceAt)
  const [lows, highs, close] = [prices(lowTick), prices(highTick), prices(closeTick)]
  const open = priceAt(openTick[0] ?? 0)
  const reached = (index: number) => [close[index - 1] ?? open, lows[index] ?? open, highs[index] ?? open]
  return {
    open,
    high: close.map((_, index) => Math.max(...reached(index))),
    low: close.map((_, index) => Math.min(...reached(index))),
    close,
  }
}

/** Whole numbers in order as the runs that they form: `3-5`, `9`. */
function runsOf(indices: readonly number[]): string[] {
  const firsts = indices.filter((index, at) => indices[at - 1] !== index - 1)
  const lasts = indices.filter((index, at) => indices[at + 1] !== index + 1)
  return firsts.map((first, at) => (first === lasts[at] ? `${first}` : `${first}-${lasts[at]}`))
}

const columnResult = z.array(z.number().nullable()).nullable()

export const getVolumeHistory = readTool({
  name: 'get_volume_history',
  title: 'Volume history of a pool',
  description:
    'Volume traded (what came in), fees to liquidity providers, trades and value held of a pool by hour or day, in US dollars, as columns of intervals from start on; null where no source tells it.',
  scope: 'read:market',
  input: z.strictObject({ ...namedPoolInput, ...periodInput }),
  output: z.object({
    ...blockResult,
    pool: z.string(),
    ...columnsResult,
    volumeUsd: columnResult,
    feesUsd: columnResult,
    tvlUsd: columnResult,
    txCount: columnResult,
    totals: z.object({ volumeUsd: usdResult, feesUsd: usdResult, txCount: z.number().nullable() }),
    ...completenessResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const period = periodOf(input, context.now())
  const { pool } = await namedPool(input, chain, context)
  const history = await context.history.read({ chain, pool, ...period, signal: context.signal })
  const { volumeUsd, feesUsd, tvlUsd, trades } = history.figures
  const completeness = completenessOf(history)
  const isPriced = volumeUsd !== null
  return {
    ...blockStamp(chain, context, pool.blockNumber, history.source),
    pool: pool.id,
    ...columnsOf(history.bars),
    volumeUsd: columnOf(volumeUsd),
    feesUsd: columnOf(feesUsd),
    tvlUsd: columnOf(tvlUsd),
    txCount: columnOf(trades),
    totals: { volumeUsd: sumOf(volumeUsd), feesUsd: sumOf(feesUsd), txCount: sumOf(trades) },
    ...completeness,
    notes: [
      ...completeness.notes,
      ...hookDoubt(pool),
      ...(isPriced ? [] : ['A token of this pool has no trustworthy USD price.']),
      ...(tvlUsd === null ? ['What the pool held in the past is not in its swap logs: tvlUsd is null.'] : []),
    ],
  }
})

/** Six digits of each; a figure that is no number was not given. */
function columnOf(column: Float64Array | readonly number[] | null): (number | null)[] | null {
  return column === null ? null : Array.from(column, (value) => (Number.isNaN(value) ? null : sixDigits(value)))
}

function sumOf(column: Float64Array | null): number | null {
  if (column === null) return null
  const sum = column.reduce((total, value) => total + (Number.isNaN(value) ? 0 : value), 0)
  return sixDigits(sum)
}
