import * as z from 'zod'
import { hookDoubt } from '../../analysis/hook-permissions.ts'
import { readTool } from '../../tool.ts'
import { sixDigits } from '../../analysis/figures.ts'
import { namedPool, namedPoolInput } from '../named-pool.ts'
import { columnsOf, columnsResult, completenessOf, completenessResult, periodInput, periodOf } from '../period.ts'
import { blockResult, blockStamp, usdResult } from '../results.ts'

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
