import * as z from 'zod'
import { hookDoubt } from '../../adapters/analytics/hook-doubt.ts'
import { readTool } from '../../tool.ts'
import { namedPool, namedPoolInput } from '../named-pool.ts'
import { completenessOf, completenessResult, periodInput, periodOf, timeOfBar } from '../period.ts'
import { readResult, readStamp, usdResult } from '../results.ts'

export const getVolumeHistory = readTool({
  name: 'get_volume_history',
  title: 'Volume history of a pool',
  description:
    'Volume traded (what came in), fees to liquidity providers, trades and value held of a pool by hour or day, in US dollars; null where no source tells it.',
  scope: 'read:market',
  input: z.strictObject({ ...namedPoolInput, ...periodInput }),
  output: z.object({
    ...readResult,
    pool: z.string(),
    points: z.array(
      z.object({
        t: z.string(),
        volumeUsd: usdResult,
        feesUsd: usdResult,
        tvlUsd: usdResult,
        txCount: z.number().nullable(),
      }),
    ),
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
    ...readStamp(chain, context, history.source),
    pool: pool.id,
    points: Array.from(history.bars.startsAt, (startsAt, index) => ({
      t: timeOfBar(startsAt),
      volumeUsd: dollarsAt(volumeUsd, index),
      feesUsd: dollarsAt(feesUsd, index),
      tvlUsd: dollarsAt(tvlUsd, index),
      txCount: trades?.[index] ?? null,
    })),
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

/** Millionths of a dollar are the end of it; a figure that is no number was not told. */
function dollarsAt(column: Float64Array | null, index: number): number | null {
  const value = column?.[index]
  return value === undefined || Number.isNaN(value) ? null : Math.round(value * 1e6) / 1e6
}

function sumOf(column: Float64Array | null): number | null {
  if (column === null) return null
  const sum = column.reduce((total, value) => total + (Number.isNaN(value) ? 0 : value), 0)
  return Math.round(sum * 1e6) / 1e6
}
