import { expect, test } from 'vitest'
import { turnsTaken } from '../../../../runtime/src/turns-taken.fixture.ts'
import { barsOfChunk, barsOfChunks, chunkOf } from './bar-chunks.ts'
import { columnsOf, tradedColumns, type TradedBars } from './traded-bars.ts'

const hour = 3_600

/** Two chunks of bars in which no two numbers are the same. */
function manyBars(): TradedBars {
  const traded = tradedColumns({ start: 0, count: 2 * barsOfChunk, barSeconds: hour })
  for (const [place, column] of columnsOf(traded).entries()) {
    for (let bar = 0; bar < column.length; bar += 1) column[bar] = (place - 3) * 1e-7 + bar * 1e15 + Math.PI
  }
  for (let bar = 0; bar < 2 * barsOfChunk; bar += 1) {
    traded.closing.push({ sqrtPriceX96: 2n ** 160n - 1n - BigInt(bar), liquidity: 2n ** 128n - 1n - BigInt(bar) })
  }
  return traded
}

const keep = (traded: TradedBars) => [chunkOf(traded, 0), chunkOf(traded, barsOfChunk)]

test('bars that were kept come back bit for bit', async () => {
  const traded = manyBars()
  expect(await barsOfChunks(keep(traded), { start: 0, barSeconds: hour })).toEqual(traded)
})

test.each<[string, (content: string) => string]>([
  ['is empty', () => ''],
  ['is of another form', () => '{"columns":[]}'],
  ['lacks its end', (content) => content.slice(0, -1)],
  ['lacks a column', (content) => content.slice(256)],
  ['holds what is no base 64', (content) => `${content.slice(0, 8)}\n${content.slice(8)}`],
  ['holds what is no number', (content) => content.replace(/^.{32}/, Buffer.alloc(24, 0xff).toString('base64'))],
  ['holds a state that is none', (content) => content.replace(/.$/, 'x')],
  ['holds more', (content) => `${content} more`],
])('of chunks of which the second %s only the first is used', async (_, spoil) => {
  const traded = manyBars()
  const [first, second] = keep(traded)
  const chunks = [first!, { ...second!, content: spoil(second!.content) }]
  const found = await barsOfChunks(chunks, { start: 0, barSeconds: hour })
  expect(found).toEqual(await barsOfChunks([first!], { start: 0, barSeconds: hour }))
  expect(found.bars.startsAt).toHaveLength(barsOfChunk)
})

test('many chunks are not read in one turn of the event loop', async () => {
  const [chunk] = keep(manyBars())
  const chunks = Array.from({ length: 100 }, () => chunk!)
  const { turns } = await turnsTaken(() => barsOfChunks(chunks, { start: 0, barSeconds: hour }))
  expect(turns).toBeGreaterThanOrEqual(3)
})
