import { inTurns } from '@svc/runtime'
import { type BarGrid, columnsOf, joinBars, tradedColumns, type TradedBars } from './bar-columns.ts'

/** How many bars are kept together. */
export const barsOfChunk = 24

/**
 * Bars as they are kept; those of a grid, `from` a bar on. The columns one after the other as doubles, the lowest byte first, in base 64, and after a space the
 * closing states in hexadecimal: a month of hours is read for every answer about a pool, and JSON would take several times as long.
 */
export function chunkOf(traded: TradedBars, from: number): BarChunk {
  const { bars, closing } = traded
  const columns = columnsOf(traded)
  const bytes = Buffer.alloc(columns.length * columnBytes)
  for (const [place, column] of columns.entries()) {
    for (let bar = 0; bar < barsOfChunk; bar += 1) {
      bytes.writeDoubleLE(column[from + bar] ?? 0, place * columnBytes + bar * doubleBytes)
    }
  }
  const states = closing
    .slice(from, from + barsOfChunk)
    .flatMap(({ sqrtPriceX96, liquidity }) => [sqrtPriceX96, liquidity])
  return {
    startsAt: bars.startsAt[from] ?? 0,
    content: `${bytes.toString('base64')} ${states.map(wordOf).join('')}`,
  }
}

/** Kept chunks, each where the one before ends, as bars; those from the first on that is not understood are left out. */
export async function barsOfChunks(chunks: readonly BarChunk[], grid: Omit<BarGrid, 'count'>): Promise<TradedBars> {
  return joinBars(await inTurns(partsOf(chunks, grid)))
}

function* partsOf(
  chunks: readonly BarChunk[],
  { start, barSeconds }: Omit<BarGrid, 'count'>,
): Generator<void, readonly TradedBars[]> {
  const parts: TradedBars[] = []
  for (const { content } of chunks) {
    const part = tradedColumns({
      start: start + parts.length * barsOfChunk * barSeconds,
      count: barsOfChunk,
      barSeconds,
    })
    if (!fill(part, content)) return parts
    parts.push(part)
    yield
  }
  return parts
}

/** Whether the content was understood. */
function fill(part: TradedBars, content: string): boolean {
  const [columns = '', states = '', ...rest] = content.split(' ')
  const bytes = Buffer.from(columns, 'base64')
  const empty = columnsOf(part)
  if (rest.length > 0 || bytes.length !== empty.length * columnBytes || bytes.toString('base64') !== columns)
    return false
  if (states.length !== 2 * barsOfChunk * wordDigits || !/^[0-9a-f]*$/.test(states)) return false
  const word = (index: number) => BigInt(`0x${states.slice(index * wordDigits, (index + 1) * wordDigits)}`)
  for (let bar = 0; bar < barsOfChunk; bar += 1) {
    for (const [place, column] of empty.entries()) {
      column[bar] = bytes.readDoubleLE(place * columnBytes + bar * doubleBytes)
    }
    part.closing.push({ sqrtPriceX96: word(2 * bar), liquidity: word(2 * bar + 1) })
  }
  return empty.every((column) => column.every(Number.isFinite))
}

const doubleBytes = 8
const columnBytes = barsOfChunk * doubleBytes

/** Of 160 bits: what a root of a price takes, and more than liquidity does. */
const wordDigits = 40

function wordOf(value: bigint): string {
  return value.toString(16).padStart(wordDigits, '0')
}

/** The same as the bars of a store for where there is none: it lasts as long as the process, and holds `mostChunks` at most. */
export function createBarMemory(mostChunks = 1_000): BarStore {
  const kept = new Map<string, BarChunk & { readonly of: string }>()
  return {
    async read(of, from, to) {
      const owner = keyOf(of)
      return [...kept.values()]
        .filter((chunk) => chunk.of === owner && chunk.startsAt >= from && chunk.startsAt < to)
        .map(({ startsAt, content }) => ({ startsAt, content }))
        .toSorted((a, b) => a.startsAt - b.startsAt)
    },
    async keep(of, chunks) {
      const owner = keyOf(of)
      for (const chunk of chunks) kept.set(`${owner} ${chunk.startsAt}`, { ...chunk, of: owner })
      for (const key of [...kept.keys()].slice(0, Math.max(0, kept.size - mostChunks))) kept.delete(key)
    },
  }
}

function keyOf({ chainId, pool, barSeconds }: BarsOf): string {
  return `${chainId} ${pool} ${barSeconds}`
}

/** Where closed bars are kept, which never change: the store of a server, or memory. It may lose its oldest chunks. */
export type BarStore = {
  /** Chunks that begin in [from, to), Unix seconds, oldest first. */
  read(of: BarsOf, from: number, to: number): Promise<readonly BarChunk[]>
  /** A chunk that is there already is replaced, since its reader may have found it broken. */
  keep(of: BarsOf, chunks: readonly BarChunk[]): Promise<void>
}

export type BarsOf = { readonly chainId: number; readonly pool: string; readonly barSeconds: number }

/** `startsAt` in Unix seconds; what the content means is its writer's business. */
export type BarChunk = { readonly startsAt: number; readonly content: string }
