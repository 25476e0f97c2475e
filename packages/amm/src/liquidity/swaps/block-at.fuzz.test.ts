import { array, assert, asyncProperty, constantFrom, integer } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockAt, type BlockTime } from './block-at.ts'

describe('blockAt', () => {
  it('finds the first block at or after a time, whatever the rhythm of the blocks', async () => {
    const gaps = array(constantFrom(0, 1, 1, 2, 12, 3_600, 100_000), { minLength: 1, maxLength: 400 })
    await assert(
      asyncProperty(
        gaps,
        integer({ min: -10, max: 1_100_000 }),
        constantFrom(0.25, 1, 12),
        async (gaps, offset, pace) => {
          const chain = blocksOf(gaps)
          const timestamp = chain[0]!.timestamp + offset
          const reads: bigint[] = []
          const found = await blockAt(readerOf(chain, reads), chain.at(-1)!, timestamp, pace)
          const expected = chain.findIndex((block) => block.timestamp >= timestamp)
          expect(Number(found.number)).toBe(expected === -1 ? chain.length : expected)
          expect(reads.every((number) => number >= 0n && number < chain.length)).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('reads few blocks of a long chain, also where its rhythm is misjudged or wavers', async () => {
    const head = { number: 30_000_000n, timestamp: 1_800_000_000 }
    const search = async (pace: number, waver: number) => {
      const reads: bigint[] = []
      const readBlock = async (number: bigint) => {
        reads.push(number)
        const back = Number(head.number - number)
        return { number, timestamp: head.timestamp - Math.floor(2 * back + waver * Math.sin(back / 100_000)) }
      }
      const found = await blockAt(readBlock, head, head.timestamp - 7 * 86_400, pace)
      return [found.number, reads.length] as const
    }
    const [even, reads] = await search(2, 0)
    expect(even).toBe(head.number - 302_400n)
    expect(reads).toBeLessThanOrEqual(2 * 14)
    const [misjudged, more] = await search(3_600, 0)
    expect([misjudged, more <= 4 * 14]).toEqual([even, true])
    const [, most] = await search(2.1, 50_000)
    expect(most).toBeLessThanOrEqual(4 * 14)
  })

  it('finds the same between blocks it knows already, and reads none when they are neighbours', async () => {
    const gaps = array(constantFrom(0, 1, 2, 12, 3_600), { minLength: 1, maxLength: 300 })
    const picks = array(integer({ min: 0, max: 300 }), { maxLength: 40 })
    await assert(
      asyncProperty(gaps, picks, integer({ min: -10, max: 100_000 }), async (gaps, picks, offset) => {
        const chain = blocksOf(gaps)
        const timestamp = chain[0]!.timestamp + offset
        const known = chain.slice(0, -1).filter((_, index) => picks.includes(index))
        const reads: bigint[] = []
        const found = await blockAt(readerOf(chain, reads), chain.at(-1)!, timestamp, 12, known)
        const expected = chain.findIndex((block) => block.timestamp >= timestamp)
        expect(Number(found.number)).toBe(expected === -1 ? chain.length : expected)
        const neighbours = known.some(({ number }) => Number(number) === expected - 1)
        const isKnown = known.some(({ number }) => Number(number) === expected)
        expect(neighbours && isKnown ? reads : []).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('hands on what it has seen, oldest first', async () => {
    const chain = blocksOf([5, 5, 5, 5])
    const { seen } = await blockAt(readerOf(chain, []), chain.at(-1)!, chain[2]!.timestamp, 1)
    expect(seen).toEqual(seen.toSorted((a, b) => Number(a.number - b.number)))
    expect(seen).toContainEqual(chain.at(-1))
  })
})

function blocksOf(gaps: readonly number[]): BlockTime[] {
  let timestamp = 1_700_000_000
  return [0, ...gaps].map((gap, index) => ({ number: BigInt(index), timestamp: (timestamp += gap) }))
}

function readerOf(chain: readonly BlockTime[], reads: bigint[]) {
  return async (number: bigint) => {
    reads.push(number)
    return chain[Number(number)]!
  }
}
