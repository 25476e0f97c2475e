import { getSqrtPriceAtTick } from '@svc/lp-math'
import { describe, expect, it } from 'vitest'
import { rowOf } from './evidence.fixture.ts'
import { type PoolMean, poolMean } from './pool-mean.ts'
import type { PoolReading, PoolSample, PoolSnapshot, RecalledMoment } from './pool-reading.ts'

const now = 1_800_000_000
const side = { tokenIs0: true, tokenDecimals: 18, quoteDecimals: 18 }
const turned = { ...side, tokenIs0: false }
const sqrtOf = (price: number) => BigInt(Math.round(Math.sqrt(price) * 2 ** 96))
const tickPrice = (tick: number) => 1.0001 ** tick
const ends = (mean: PoolMean | null) => mean && [mean.lowE18, mean.midE18, mean.highE18].map((e) => Number(e) / 1e18)

/** A price in the second token, and since how many seconds ago it stood; the last stands now. */
type Course = readonly (readonly [price: number, sinceSecondsAgo: number])[]

describe('of a v3 pool', () => {
  const v3 = (change: Partial<PoolReading>) => poolMean(reading('v3', { now: ticksAt([[0, 7_200]], 0), ...change }))
  /** What its oracle says of a course: twenty seconds, one in each ninety. */
  const oracleOf = (course: Course) => ({
    now: ticksAt(course, 0),
    observed: [ticksAt(course, 1_800), ticksAt(course, 600)],
    recalled: Array.from({ length: 20 }, (_, part) => secondAt(course, part * 90 + 45)),
  })
  const endOfTicks = 887_271

  it('goes from the first to the third quarter of what its oracle recalls', () => {
    // 1,000 seconds at tick 100, then 800 at 400: eleven seconds of one, nine of the other.
    const mean = v3(
      oracleOf([
        [100, 7_200],
        [400, 800],
      ]),
    )
    expect(mean).toMatchObject({ seconds: 1_800, from: 'its own oracle' })
    expect(ends(mean)).toEqual([100, 100.5, 401].map((tick) => expect.closeTo(tickPrice(tick), 6)))
  })

  it('turns with the side, and is not narrower than its tick', () => {
    const oracle = oracleOf([[100, 7_200]])
    expect(ends(v3(oracle))).toEqual([100, 100.5, 101].map((tick) => expect.closeTo(tickPrice(tick), 9)))
    const turned_ = ends(v3({ ...oracle, side: turned }))
    expect(turned_).toEqual([-101, -100.5, -100].map((tick) => expect.closeTo(tickPrice(tick), 9)))
    expect(ends(v3(oracleOf([[887_272, 7_200]])))?.[2]).toBeCloseTo(tickPrice(887_272), -32)
  })

  it.each([
    [5, false, false],
    [6, false, true],
    [14, false, true],
    [15, true, true],
  ])('with %d of twenty moments at the end of all ticks', (pushed, movesLow, movesHigh) => {
    const oracle = oracleOf([[0, 7_200]])
    // Sums go as far as such blocks take them; what is recalled does not.
    const recalled = oracle.recalled.map((moment, index) => (index < pushed ? { ...moment, tick: endOfTicks } : moment))
    const mean = v3({
      ...oracle,
      now: ticksAt(
        [
          [0, 7_200],
          [endOfTicks, 600],
        ],
        0,
      ),
      recalled,
    })!
    expect([Number(mean.lowE18) / 1e18 > 2, Number(mean.highE18) / 1e18 > 2]).toEqual([movesLow, movesHigh])
  })

  it('takes single older blocks where its oracle does not reach back', () => {
    const at = (tick: number, age: number) => ({ ...ticksAt([[tick, 7_200]], age), liquidity: BigInt(age + 1) })
    const older = [at(500, 1_700), at(500, 1_100), at(endOfTicks, 600), at(510, 240)]
    const mean = v3({ now: at(510, 0), older })
    expect(mean).toMatchObject({ seconds: 1_700, from: 'older blocks', liquidity: 601n, leastLiquidity: 241n })
    expect(ends(mean)).toEqual([500, 500, 510].map((tick) => expect.closeTo(tickPrice(tick), 6)))
  })

  it('takes what was summed up since it was seen where older blocks are gone, as the hull of two parts', () => {
    const course: Course = [
      [100, 7_200],
      [400, 300],
    ]
    const mean = v3({ now: ticksAt(course, 0), seen: [ticksAt(course, 1_800), ticksAt(course, 600)] })
    expect(mean).toMatchObject({ seconds: 1_800, from: 'earlier sightings' })
    // 20 minutes at tick 100; then five at 100 and five at 400; in all a sixth of the time at 400. The head itself strays.
    expect(ends(mean)).toEqual([100, 150, 250].map((tick) => expect.closeTo(tickPrice(tick), 6)))
    expect(v3({ now: ticksAt(course, 0), older: [ticksAt(course, 500)], seen: [] })).toBeNull()
  })

  it('reaches a sighting that strays from what was summed up', () => {
    const seen = [
      ticksAt([[0, 7_200]], 1_800),
      { ...ticksAt([[0, 7_200]], 600), sqrtPriceX96: getSqrtPriceAtTick(500) },
    ]
    const [low, , high] = ends(v3({ seen }))!
    expect([low, high]).toEqual([expect.closeTo(1, 6), expect.closeTo(tickPrice(500), 6)])
  })

  it.each([
    [899, null],
    [900, 900],
    [7_200, 7_200],
    [7_201, null],
  ])('over %d seconds', (age, seconds) => {
    const course: Course = [[500, 10_000]]
    expect(v3({ now: ticksAt(course, 0), seen: [ticksAt(course, age)] })?.seconds ?? null).toBe(seconds)
  })

  it('tells the liquidity of the better part and of the worse one, as harmonic means', () => {
    const shares = (seconds: number, liquidity: bigint) => ((BigInt(seconds) << 128n) / liquidity) % 2n ** 160n
    const sample = (age: number, grown: bigint): PoolSnapshot & PoolSample => {
      const base = ticksAt([[0, 7_200]], age)
      return {
        ...base,
        sums: { kind: 'ticks', tick: 0n, perLiquidityX128: BigInt.asUintN(160, 2n ** 160n - 1n + grown) },
      }
    }
    const [early, late] = [shares(1_200, 4_000n), shares(599, 4_000n) + shares(1, 1n)]
    const mean = v3({ now: sample(0, early + late), seen: [sample(1_800, 0n), sample(600, early)] })
    expect([mean?.liquidity, mean?.leastLiquidity]).toEqual([4_000n, 521n])
  })

  it.each([
    ['emptied in two of twenty seconds: as if it had not been', 2, 0n, [1_000n, 1_000n]],
    ['emptied in three', 3, 0n, [1_000n, 0n]],
    ['made deep in seventeen', 17, 9_000n, [9_000n, 1_000n]],
    ['made deep in eighteen', 18, 9_000n, [9_000n, 9_000n]],
  ])('tells what stood in its recalled seconds: %s', (_what, count, liquidity, expected) => {
    const oracle = oracleOf([[0, 7_200]])
    const recalled = oracle.recalled.map((moment, index) => (index < count ? { ...moment, liquidity } : moment))
    const mean = v3({ ...oracle, recalled })
    expect([mean?.liquidity, mean?.leastLiquidity]).toEqual(expected)
  })

  it('is none where what was summed up is no price', () => {
    const sums = { kind: 'ticks', tick: 10n ** 12n, perLiquidityX128: 0n } as const
    const base = ticksAt([[0, 7_200]], 1_800)
    expect(v3({ now: ticksAt([[0, 7_200]], 0), seen: [{ ...base, sums }] })).toBeNull()
    expect(v3({ now: null })).toBeNull()
  })
})

describe('of a v2 pair', () => {
  const v2 = (change: Partial<PoolReading>) => poolMean(reading('v2', change))
  const course: Course = [
    [4, 7_200],
    [16, 300],
  ]

  it('reaches from the harmonic to the arithmetic mean', () => {
    const older = [pricesAt(course, 1_800), pricesAt(course, 600)]
    const mean = v2({ now: pricesAt(course, 0), older })
    const [low, , high] = ends(mean)!
    expect([low, high]).toEqual([expect.closeTo(4, 6), expect.closeTo(10, 6)])
    expect(mean).toMatchObject({ seconds: 1_800, from: 'older blocks' })
    const [lowTurned, , highTurned] = ends(v2({ side: turned, now: pricesAt(course, 0), older }))!
    expect([lowTurned, highTurned]).toEqual([expect.closeTo(0.1, 6), expect.closeTo(0.25, 6)])
    const whole = ends(v2({ now: pricesAt(course, 0), older: older.slice(0, 1) }))!
    // Harmonic and arithmetic mean of five minutes at 16 after twenty-five at 4.
    expect([whole[0], whole[2]]).toEqual([expect.closeTo(32 / 7, 6), expect.closeTo(6, 6)])
  })

  it('keeps its high edge when a block goes to nothing, and its low one when it goes to the skies', () => {
    const moment = (price: number): Course => [
      [4, 7_200],
      [price, 1_212],
      [4, 1_200],
    ]
    const at = (price: number) =>
      ends(v2({ now: pricesAt(moment(price), 0), older: [pricesAt(moment(price), 1_800)] }))!
    expect(at(4e-6)[2]).toBeCloseTo(4, 1)
    expect(at(4e6)[0]).toBeCloseTo(4, 1)
  })

  it('goes over the end of the numbers, and is as deep as the pair was at the shallower end', () => {
    const wrapped = pricesAt(course, 1_800)
    const before = {
      ...wrapped,
      liquidity: 7n,
      sums: { kind: 'prices', price0X112: 2n ** 256n - 1n, price1X112: 0n } as const,
    }
    const after = {
      ...pricesAt(course, 0),
      sums: { kind: 'prices', price0X112: ((4n * 1_800n) << 112n) - 1n, price1X112: 450n << 112n } as const,
    }
    const mean = v2({ now: { ...after, liquidity: 9n }, seen: [before] })
    expect(ends(mean)).toEqual([4, 4, 4])
    expect([mean?.liquidity, mean?.leastLiquidity]).toEqual([7n, 7n])
  })

  it('is none where nothing grew', () => {
    const dead = { ...pricesAt(course, 0), sums: { kind: 'prices', price0X112: 0n, price1X112: 0n } as const }
    expect(v2({ now: dead, older: [{ ...dead, atSeconds: now - 1_800 }] })).toBeNull()
  })
})

describe('of a v4 pool', () => {
  const moments = (...prices: readonly (readonly [price: number, secondsAgo: number])[]) =>
    prices.map(([price, age], index) => momentAt(price, age, BigInt(index + 1)))
  const v4 = (spot: number, older: readonly PoolSnapshot[], seen: readonly PoolSnapshot[] = []) =>
    poolMean(reading('v4', { now: momentAt(spot, 0, 9n), older, seen }))

  it('goes from the first to the third quarter of older blocks, the head left out', () => {
    const mean = v4(4, moments([1, 1_800], [1, 1_200], [2, 600], [4, 300]))
    expect(ends(mean)).toEqual([1, 1, 2].map((price) => expect.closeTo(price, 6)))
    expect(mean).toMatchObject({ seconds: 1_800, from: 'older blocks', liquidity: 2n, leastLiquidity: 1n })
  })

  it.each([
    [4, 0, 0],
    [5, 1, 1],
    [19, 1, 1],
    [20, 2, 2],
  ])('of %d blocks is as deep as the least that stood in all but %d', (count, emptied, left) => {
    const older = Array.from({ length: count }, (_, index) =>
      momentAt(1, 1_800 - index * 60, index < emptied ? 0n : BigInt(index + 1)),
    )
    expect(v4(1, older)?.leastLiquidity).toBe(BigInt(left + 1))
  })

  it.each([
    [3, 1],
    [4, 1e6],
  ])('keeps an edge with %d of five blocks pushed', (pushed, low) => {
    const older = [1_400, 1_100, 800, 500, 200].map((age, index) => momentAt(index < pushed ? 1e6 : 1, age, 1n))
    expect(ends(v4(1e6, older))).toEqual([low, 1e6, 1e6].map((price) => expect.closeTo(price, 0)))
  })

  it.each([0, 300, 600, 1_200, 1_800])('does not move with the block of %d seconds ago', (pushed) => {
    const price = (age: number) => (age === pushed ? 1e6 : 1)
    const older = [1_800, 1_200, 600, 300].map((age) => momentAt(price(age), age, 1n))
    expect(ends(v4(price(0), older))).toEqual([1, 1, 1])
  })

  it('takes three moments or more, of a quarter of an hour at least', () => {
    expect(v4(1, moments([1, 1_800]))).toBeNull()
    expect(v4(1, moments([1, 899], [1, 300]))).toBeNull()
    expect(v4(1, moments([1, 900], [1, 300]))).toBeNull()
    expect(v4(1, moments([1, 900], [1, 600], [1, 300]))).toMatchObject({ seconds: 900 })
    // What was seen before, whoever asked had chosen.
    expect(v4(1, moments([1, 1_800]), moments([1, 4_000], [3, 9_000]))).toBeNull()
  })
})

function reading(version: 'v2' | 'v3' | 'v4', change: Partial<PoolReading>): PoolReading {
  const unread = { now: null, held: null, observed: [], recalled: [], older: [], seen: [] }
  return { row: rowOf(1, version), side, fault: null, quoteKey: '0x', ...unread, ...change }
}

/** The values that stood from each time on, by the time they stood until a moment. */
function summed(course: Course, secondsAgo: number, valueOf: (price: number) => bigint): bigint {
  return course.reduce((sum, [price, since], index) => {
    const until = Math.max(course[index + 1]?.[1] ?? 0, secondsAgo)
    return since > until ? sum + valueOf(price) * BigInt(since - until) : sum
  }, 0n)
}

/** Prices of the course are ticks. */
function ticksAt(course: Course, secondsAgo: number): PoolSnapshot & PoolSample {
  const tick = summed(course, secondsAgo, BigInt)
  const perLiquidityX128 = (BigInt(7_200 - secondsAgo) << 128n) / 1_000n
  const sqrtPriceX96 = getSqrtPriceAtTick(course.at(-1)?.[0] ?? 0)
  const sums = { kind: 'ticks', tick, perLiquidityX128: BigInt.asUintN(160, perLiquidityX128) } as const
  return { atSeconds: now - secondsAgo, sqrtPriceX96, liquidity: 1_000n, sums }
}

/** The tick of the course in a second. */
function secondAt(course: Course, secondsAgo: number): RecalledMoment {
  const tick = course.findLast(([, since]) => since >= secondsAgo)?.[0] ?? 0
  return { atSeconds: now - secondsAgo, tick, liquidity: 1_000n }
}

function pricesAt(course: Course, secondsAgo: number): PoolSnapshot & PoolSample {
  const fixed = (value: number) => BigInt(Math.round(value * 2 ** 60)) << 52n
  const price0X112 = summed(course, secondsAgo, fixed)
  const price1X112 = summed(course, secondsAgo, (price) => fixed(1 / price))
  const sqrtPriceX96 = sqrtOf(course.at(-1)?.[0] ?? 1)
  return { atSeconds: now - secondsAgo, sqrtPriceX96, liquidity: 8n, sums: { kind: 'prices', price0X112, price1X112 } }
}

function momentAt(price: number, secondsAgo: number, liquidity: bigint): PoolSnapshot {
  return { atSeconds: now - secondsAgo, sqrtPriceX96: sqrtOf(price), liquidity, sums: null }
}
