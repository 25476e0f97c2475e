import type { BarChunk } from '@svc/store'
import * as z from 'zod'
import type { BarGrid } from './bar-grid.ts'
import { columnsOf, tradedColumns, type ClosingState, type TradedBars } from './traded-bars.ts'

/** How many bars are kept together. */
export const barsOfChunk = 24

/** Bars as they are kept; those of a grid, `from` a bar on. */
export function chunkOf(traded: TradedBars, from: number): BarChunk {
  const { bars, closing } = traded
  const part = (column: Float64Array) => Array.from(column.subarray(from, from + barsOfChunk))
  const content: z.input<typeof chunkSchema> = {
    columns: columnsOf(traded).map(part),
    closing: closing
      .slice(from, from + barsOfChunk)
      .map(({ sqrtPriceX96, liquidity }) => [String(sqrtPriceX96), String(liquidity)]),
  }
  return { startsAt: bars.startsAt[from] ?? 0, content: JSON.stringify(content) }
}

/** Kept chunks, each where the one before ends, as bars; `null` where one is no longer understood. */
export function barsOfChunks(
  chunks: readonly BarChunk[],
  { start, barSeconds }: Omit<BarGrid, 'count'>,
): TradedBars | null {
  const contents = chunks.map(({ content }) => chunkSchema.safeParse(parse(content)))
  const traded = tradedColumns({ start, count: chunks.length * barsOfChunk, barSeconds })
  for (const [index, content] of contents.entries()) {
    if (!content.success) return null
    for (const [place, column] of columnsOf(traded).entries()) {
      column.set(content.data.columns[place] ?? [], index * barsOfChunk)
    }
    traded.closing.push(...content.data.closing)
  }
  return traded
}

const columnCount = 13
const unsigned = z.string().regex(/^\d{1,78}$/)

const chunkSchema = z.object({
  columns: z.array(z.array(z.number()).length(barsOfChunk)).length(columnCount),
  closing: z
    .array(
      z.tuple([unsigned, unsigned]).transform(([sqrtPriceX96, liquidity]): ClosingState => ({
        sqrtPriceX96: BigInt(sqrtPriceX96),
        liquidity: BigInt(liquidity),
      })),
    )
    .length(barsOfChunk),
})

function parse(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
