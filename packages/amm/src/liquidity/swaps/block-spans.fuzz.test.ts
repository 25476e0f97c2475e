import { array, assert, integer, nat, option, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BlockTime, guessesAround, holds, knownSpan, likelySpan } from './block-at.ts'

const start = 1_700_000_000
/** A chain of so many blocks, so many seconds apart. */
const chainOf = (count: number, pace: number): BlockTime[] =>
  Array.from({ length: count }, (_, number) => ({
    number: BigInt(number),
    timestamp: start + Math.floor(number * pace),
  }))

/** A chain of uneven blocks, some of which are known, and a span of time. */
const cases = record({
  steps: array(integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 60 }),
  known: array(nat(59), { maxLength: 6 }),
  from: integer({ min: -20, max: 1_600 }),
  length: option(integer({ min: 0, max: 800 }), { nil: undefined }),
}).map(({ steps, known, from, length }) => {
  let timestamp = start
  const blocks = steps.map((step, number) => ({ number: BigInt(number), timestamp: (timestamp += step) }))
  const marks = blocks.filter((_, index) => known.includes(index) || index === blocks.length - 1)
  return { blocks, marks, span: { from: start + from, to: length === undefined ? undefined : start + from + length } }
})

describe('a span of blocks', () => {
  it('between marks holds every block of the time, whatever the rhythm of the chain', () => {
    assert(
      property(cases, ({ blocks, marks, span: { from, to = Infinity } }) => {
        const { first, last } = knownSpan(marks, { from, to })
        const missing = blocks.filter(
          ({ number, timestamp }) => timestamp >= from && timestamp <= to && (number < first || number > last),
        )
        expect(missing).toEqual([])
      }),
    )
  })

  it('that is likely holds them all where its ends show that it does, and is never refused where it holds the marks', () => {
    assert(
      property(cases, ({ blocks, marks, span }) => {
        const likely = likelySpan(marks, span, 12)
        const head = blocks.at(-1)!.number
        expect(likely.first >= 0n && likely.first <= likely.last && likely.last <= head).toBe(true)
        const seen = blocks.filter(
          (block) => marks.includes(block) || [likely.first, likely.last].includes(block.number),
        )
        const { from, to = Infinity } = span
        const wanted = blocks.filter(({ timestamp }) => timestamp >= from && timestamp <= to)
        const isWhole = wanted.every(({ number }) => number >= likely.first && number <= likely.last)
        expect(isWhole || !holds(likely, seen, span)).toBe(true)
        expect(holds(knownSpan(marks, span), marks, span)).toBe(true)
      }),
    )
  })

  it('is found at once, and little wider than the time, on a chain that keeps to its rhythm', () => {
    const blocks = chainOf(100_000, 12.1)
    const head = blocks.at(-1)!
    const span = { from: head.timestamp - 7 * 86_400, to: head.timestamp - 6 * 86_400 }
    const { first, last } = likelySpan([head], span, 12)
    const ends = [first, last].map((number) => blocks[Number(number)]!)
    expect(holds({ first, last }, [...ends, head], span)).toBe(true)
    expect(Number(last - first)).toBeLessThan((86_400 / 12) * 1.3)
    const near = likelySpan([...ends, head], { from: span.from + 3_600 }, 12)
    expect(Number(near.first - first)).toBeGreaterThan(280)
  })
})

it('a span that lies elsewhere than the rhythm says is seen to hold nothing', () => {
  const blocks = chainOf(1_000, 12)
  const [first, head] = [blocks[0]!, { number: 1_000n, timestamp: start + 1_000_000 }]
  const span = { from: start + 6_000, to: start + 7_200 }
  const likely = likelySpan([head], span, 12)
  expect([likely.first, likely.last < 100n]).toEqual([0n, true])
  expect(holds(likely, [first, head], span)).toBe(false)
  expect(knownSpan([first, head], span)).toEqual({ first: 0n, last: 1_000n })
  expect(holds({ first: 0n, last: 700n }, [first, blocks[700]!, head], span)).toBe(true)
})

it('guesses are made where nothing is known of the time before, and nowhere else', () => {
  const [first, ...rest] = chainOf(1_000, 12)
  const head = rest.at(-1)!
  expect(guessesAround([head], start + 5_000, 12).length).toBeGreaterThan(5)
  expect(guessesAround([first!, head], start + 5_000, 12)).toEqual([])
  expect(guessesAround([head], head.timestamp + 1, 12)).toEqual([])
})
