import { describe, expect, test } from 'vitest'
import type { LpMathError } from '../lp-math-error.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { type Bars, checkBars, resampleBars } from './bars.ts'
import { type BarRow, barsFromRows, barsFromSwaps, type TimedSwapLog } from './make-bars.ts'
import { readShippedBars, readShippedRows } from './shipped-bars.fixture.ts'

const calm = { openTick: 5, lowTick: 5, highTick: 5, closeTick: 5, amount0In: 0, amount1In: 0, liquidity: 7 }
const rowAt = (startsAt: number, changes: Partial<BarRow> = {}): BarRow => ({ startsAt, ...calm, ...changes })

function refusalOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    const { code, message } = error as LpMathError
    return `${code}: ${message}`
  }
  throw new Error('Nothing was refused.')
}

describe('bars from rows', () => {
  test('fills holes with standing bars and counts them', () => {
    const { bars, filledBars, widenedBars } = barsFromRows(
      [rowAt(600, { closeTick: 9, highTick: 9, amount0In: 3 }), rowAt(780, { liquidity: 8 })],
      60,
    )
    expect({ filledBars, widenedBars }).toEqual({ filledBars: 2, widenedBars: 0 })
    expect([...bars.startsAt]).toEqual([600, 660, 720, 780])
    expect([...bars.closeTick]).toEqual([9, 9, 9, 5])
    expect([...bars.lowTick]).toEqual([5, 9, 9, 5])
    expect([...bars.amount0In]).toEqual([3, 0, 0, 0])
    expect([...bars.liquidity]).toEqual([7, 7, 7, 8])
  })

  test('widens a span that leaves out its own open or close, and counts it', () => {
    const { bars, widenedBars } = barsFromRows([rowAt(0, { closeTick: 8 }), rowAt(60, { openTick: 1 })], 60)
    expect(widenedBars).toBe(2)
    expect([...bars.lowTick, ...bars.highTick]).toEqual([5, 1, 8, 5])
  })

  test('counts what the shipped minutes lack', () => {
    const { bars, filledBars, widenedBars } = readShippedBars()
    expect({ count: bars.startsAt.length, filledBars, widenedBars }).toEqual({
      count: 7200,
      filledBars: 1,
      widenedBars: 89,
    })
  })

  test('refuses malformed rows by row and field', () => {
    const refused = (rows: readonly BarRow[], barSeconds = 60) => refusalOf(() => barsFromRows(rows, barSeconds))
    expect(refused([])).toMatch(/^BARS_MALFORMED: rows holds/)
    expect(refused([rowAt(0)], 0)).toMatch(/^BARS_MALFORMED: barSeconds/)
    expect(refused([rowAt(Number.NaN)])).toMatch(/rows\[0\]\.startsAt/)
    expect(refused([rowAt(0), rowAt(61)])).toMatch(/rows\[1\]\.startsAt/)
    expect(refused([rowAt(0), rowAt(60), rowAt(60)])).toMatch(/rows\[2\]\.startsAt/)
    expect(refused([rowAt(60), rowAt(0)])).toMatch(/rows\[1\]\.startsAt/)
    expect(refused([rowAt(0), rowAt(366 * 86_400)])).toMatch(/rows\[1\]\.startsAt is at most a year after/)
    const twentyYears = Array.from({ length: 21 }, (_, year) => rowAt(year * 365 * 86_400))
    expect(refused(twentyYears)).toMatch(/more than 10000000 bars/)
    expect(refused([rowAt(0), rowAt(60, { liquidity: Number.NaN })])).toMatch(/rows\[1\]\.liquidity/)
    expect(refused([rowAt(0, { lowTick: 6 })])).toMatch(/rows\[0\]\.lowTick/)
    expect(refused([rowAt(0), rowAt(60, { feeGrowth0: 1, feeGrowth1: 1 })])).toMatch(/rows\[1\]\.feeGrowth0/)
    expect(refused([rowAt(0, { feeGrowth0: 1 })])).toMatch(/rows\[0\]\.feeGrowth1/)
    expect(refused([rowAt(0, { openTick: 887_273 })])).toMatch(/rows\[0\]\.openTick/)
    expect(refused([rowAt(0, { amount1In: -1 })])).toMatch(/rows\[0\]\.amount1In/)
  })
})

describe('checked bars', () => {
  const sound = barsFromRows([rowAt(0)], 60).bars
  const broken: [field: RegExp, changes: Partial<Bars>][] = [
    [/^BARS_MALFORMED: barSeconds/, { barSeconds: Infinity }],
    [/^BARS_MALFORMED: startsAt holds/, { startsAt: new Float64Array() }],
    [/^BARS_MALFORMED: startsAt\[0\]/, { startsAt: Float64Array.of(Number.NaN) }],
    [/^BARS_MALFORMED: closeTick has/, { closeTick: Float64Array.of(5, 5) }],
    [/^BARS_MALFORMED: openTick\[0\]/, { openTick: Float64Array.of(887_273) }],
    [/^BARS_MALFORMED: liquidity\[0\]/, { liquidity: Float64Array.of(Infinity) }],
    [/^BARS_MALFORMED: amount0In\[0\]/, { amount0In: Float64Array.of(-1) }],
    [/^BARS_MALFORMED: lowTick\[0\]/, { lowTick: Float64Array.of(6) }],
    [/^BARS_MALFORMED: highTick\[0\]/, { highTick: Float64Array.of(4), lowTick: Float64Array.of(4) }],
    [
      /^BARS_MALFORMED: feeGrowth\.token1\[0\]/,
      { feeGrowth: { token0: Float64Array.of(0), token1: Float64Array.of(Number.NaN) } },
    ],
  ]

  test.each(broken)('%s is named', (field, changes) => {
    expect(refusalOf(() => checkBars({ ...sound, ...changes }))).toMatch(field)
  })

  test('that lie apart by another distance are refused', () => {
    const { bars } = barsFromRows([rowAt(0), rowAt(60), rowAt(120)], 60)
    expect(refusalOf(() => checkBars({ ...bars, startsAt: Float64Array.of(0, 60, 180) }))).toMatch(/startsAt\[2\]/)
  })
})

describe('longer bars', () => {
  test('give one unit of liquidity the fees that the short ones give, leg by leg where the price stands', () => {
    const rows = [
      rowAt(0, { amount0In: 100, liquidity: 10 }),
      rowAt(60, { amount0In: 300, liquidity: 1000 }),
      rowAt(120, { liquidity: 99 }),
    ]
    const { bars } = barsFromRows(rows, 60)
    const longer = resampleBars(bars, 180)
    expect((longer.amount0In[0] ?? 0) / (longer.liquidity[0] ?? 0)).toBeCloseTo(100 / 10 + 300 / 1000, 12)
  })

  test('span what the short ones span, and keep what was traded', () => {
    const { bars } = readShippedBars()
    const hours = resampleBars(bars, 3600)
    expect(hours.startsAt.length).toBe(120)
    const total = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0)
    expect(total(hours.amount0In) / total(bars.amount0In)).toBeCloseTo(1, 12)
    expect(total(hours.amount1In) / total(bars.amount1In)).toBeCloseTo(1, 12)
    expect(hours.highTick[7]).toBe(Math.max(...bars.highTick.subarray(420, 480)))
    expect(hours.lowTick[7]).toBe(Math.min(...bars.lowTick.subarray(420, 480)))
    expect([hours.openTick[7], hours.closeTick[7]]).toEqual([bars.openTick[420], bars.closeTick[479]])
  })

  test('sum fee growth, keep liquidity where nothing was traded, and leave out a rest', () => {
    const grown = [0, 60, 120].map((at) => rowAt(at, { feeGrowth0: at + 1, feeGrowth1: 2, liquidity: at + 5 }))
    const longer = resampleBars(barsFromRows(grown, 60).bars, 120)
    expect(longer.startsAt.length).toBe(1)
    expect([longer.feeGrowth?.token0[0], longer.feeGrowth?.token1[0], longer.liquidity[0]]).toEqual([62, 4, 65])
  })

  test('are whole multiples', () => {
    const { bars } = barsFromRows([rowAt(0), rowAt(60)], 60)
    expect(refusalOf(() => resampleBars(bars, 90))).toMatch(/barSeconds is a whole multiple/)
    expect(refusalOf(() => resampleBars(bars, 30))).toMatch(/barSeconds is a whole multiple/)
    expect(refusalOf(() => resampleBars(bars, 180))).toMatch(/fill at least one bar/)
  })
})

describe('bars from swaps', () => {
  const at = (tick: number) => getSqrtPriceAtTick(tick)
  const L = 10n ** 18n
  const swap = (timestamp: number, tick: number, amount0: bigint, amount1: bigint, liquidity = L): TimedSwapLog => ({
    timestamp,
    sqrtPriceX96After: at(tick),
    amount0,
    amount1,
    liquidity,
  })
  const start = { sqrtPriceX96: at(10), liquidity: L }
  const span = { barSeconds: 60, startsAt: 0, endsAt: 240, start }

  test('open at the price before the first swap and stand where nothing is traded', () => {
    const swaps = [swap(61, 30, -5n, 6n), swap(90, 20, 7n, -6n), swap(119, 25, -1n, 2n, 2n * L)]
    const bars = barsFromSwaps(swaps, span)
    const rounded = (column: Float64Array) => [...column].map((tick) => Math.round(tick * 1e6) / 1e6)
    expect(rounded(bars.openTick)).toEqual([10, 10, 25, 25])
    expect(rounded(bars.closeTick)).toEqual([10, 25, 25, 25])
    expect(rounded(bars.lowTick)).toEqual([10, 10, 25, 25])
    expect(rounded(bars.highTick)).toEqual([10, 30, 25, 25])
    expect([...bars.amount0In]).toEqual([0, 7, 0, 0])
    expect([...bars.amount1In]).toEqual([0, 8, 0, 0])
    expect([bars.liquidity[0], bars.liquidity[2]]).toEqual([1e18, 2e18])
    const sold = 7 * 1.0001 ** 20
    expect(bars.liquidity[1]! / 1e18).toBeCloseTo((6 + sold + 2) / (6 + sold + 2 / 2), 9)
    expect(bars.feeGrowth).toBeNull()
  })

  test('carry the fee growth of the price path, bar by bar', () => {
    const move = Number(at(30) - at(10)) / 2 ** 96
    const bars = barsFromSwaps([swap(61, 30, -5n, 10n ** 16n), swap(121, 10, 10n ** 16n, -6n)], {
      ...span,
      feePips: 3000,
    })
    expect((bars.feeGrowth?.token1[1] ?? 0) / ((move * 0.003) / 0.997)).toBeCloseTo(1, 12)
    expect(bars.feeGrowth?.token0[1]).toBe(0)
    expect(bars.feeGrowth?.token0[2]).toBeGreaterThan(0)
  })

  test('without a state before them begin at the first', () => {
    const { start: _, ...rest } = span
    const bars = barsFromSwaps([swap(61, 30, -5n, 6n)], rest)
    expect([...bars.openTick].map(Math.round)).toEqual([30, 30, 30, 30])
    expect(refusalOf(() => barsFromSwaps([], rest))).toMatch(/swaps holds a swap/)
  })

  test('equal the rows of the same minutes where ticks are whole', () => {
    const rows = readShippedRows().slice(0, 30)
    const first = rows[0]?.startsAt ?? 0
    const swaps = rows.map((row) =>
      swap(row.startsAt, row.closeTick, BigInt(row.amount0In), BigInt(row.amount1In), BigInt(row.liquidity)),
    )
    const bars = barsFromSwaps(swaps, { barSeconds: 60, startsAt: first, endsAt: first + 1800 })
    expect([...bars.closeTick].map(Math.round)).toEqual(rows.map((row) => row.closeTick))
    expect([...bars.amount0In]).toEqual(rows.map((row) => row.amount0In))
    expect([...bars.amount1In]).toEqual(rows.map((row) => row.amount1In))
  })

  test('hold as many swaps as a day of a busy pool has', () => {
    const [low, high] = [swap(61, -40, 3n, -2n), swap(61, 50, -2n, 3n)]
    const bars = barsFromSwaps(
      Array.from({ length: 200_000 }, (_, index) => (index % 2 === 0 ? high : low)),
      span,
    )
    expect([bars.lowTick[1], bars.highTick[1]].map((tick) => Math.round(tick ?? 0))).toEqual([-40, 50])
    expect([bars.amount0In[1], bars.amount1In[1]]).toEqual([300_000, 300_000])
  })

  test('are refused out of order and outside the span', () => {
    const refused = (swaps: TimedSwapLog[], changes: object = {}) =>
      refusalOf(() => barsFromSwaps(swaps, { ...span, ...changes }))
    expect(refused([swap(70, 12, -1n, 1n), swap(69, 13, -1n, 1n)])).toMatch(/swaps\[1\]\.timestamp/)
    expect(refused([swap(240, 12, -1n, 1n)])).toMatch(/swaps\[0\]\.timestamp/)
    expect(refused([], { endsAt: 250 })).toMatch(/endsAt/)
    expect(refused([], { barSeconds: Number.NaN })).toMatch(/endsAt/)
    expect(refused([swap(0, 12, 1n, -1n)], { feePips: 500 })).toMatch(/^SWAP_LOGS_INCONSISTENT/)
  })
})
