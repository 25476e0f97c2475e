import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'
import { type BarRow, type BarsFromRows, barsFromRows } from './make-bars.ts'

/** Five days of minutes of a real pool, USDC/WETH 0.05 % (see examples/data/SOURCES.md). */
export function readShippedBars(): BarsFromRows {
  return barsFromRows(readShippedRows(), 60)
}

export function readShippedRows(): BarRow[] {
  return readShippedRecords().map((record) => ({
    startsAt: Date.parse(`${record.timestamp}Z`) / 1000,
    openTick: Number(record.openTick),
    lowTick: Number(record.lowestTick),
    highTick: Number(record.highestTick),
    closeTick: Number(record.closeTick),
    amount0In: Number(record.inAmount0),
    amount1In: Number(record.inAmount1),
    liquidity: Number(record.currentLiquidity),
  }))
}

/** The rows as text, for arithmetic on the integers that they hold. */
export function readShippedRecords(): ShippedRecord[] {
  const file = new URL(
    '../../../../examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv',
    import.meta.url,
  )
  return parse(readFileSync(file, 'utf8'), { columns: true })
}

export type ShippedRecord = Record<
  | 'timestamp'
  | 'openTick'
  | 'lowestTick'
  | 'highestTick'
  | 'closeTick'
  | 'inAmount0'
  | 'inAmount1'
  | 'currentLiquidity',
  string
>
