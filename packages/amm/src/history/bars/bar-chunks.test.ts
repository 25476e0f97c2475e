import { expect, test } from 'vitest'
import { turnsTaken } from '../../../../runtime/src/turns-taken.fixture.ts'
import { barsOfChunk, barsOfChunks, chunkOf, createBarMemory } from './bar-chunks.ts'
import { columnsOf, tradedColumns, type TradedBars } from './bar-columns.ts'

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

const hours = { chainId: 1, pool: '0xab', barSeconds: 3_600 }
const chunk = (startsAt: number, content = `${startsAt}`) => ({ startsAt, content })

test('chunks are given back as they were last kept, each to its own', async () => {
  const bars = createBarMemory()
  await bars.keep(hours, [chunk(200), chunk(100, 'broken')])
  await bars.keep(hours, [chunk(100), chunk(300)])
  await bars.keep({ ...hours, pool: '0xcd' }, [chunk(100, 'cd')])
  await bars.keep({ ...hours, barSeconds: 60 }, [chunk(100, 'minutes')])
  await bars.keep({ ...hours, chainId: 10 }, [chunk(100, 'optimism')])
  expect(await bars.read(hours, 100, 300)).toEqual([chunk(100), chunk(200)])
  expect(await bars.read({ ...hours, chainId: 10 }, 0, 1_000)).toEqual([chunk(100, 'optimism')])
})

test('of more than it holds the oldest entries go', async () => {
  const bars = createBarMemory(3)
  for (const startsAt of [1, 2, 3, 4]) await bars.keep(hours, [chunk(startsAt)])
  expect(await bars.read(hours, 0, 9)).toEqual([chunk(2), chunk(3), chunk(4)])
})
