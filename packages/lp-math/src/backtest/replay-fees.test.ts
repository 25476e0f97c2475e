import { describe, expect, test } from 'vitest'
import { barsFromRows } from '../bars/make-bars.ts'
import { type Bars, resampleBars } from '../bars/bars.ts'
import { readShippedBars, readShippedRecords } from '../bars/shipped-bars.fixture.ts'
import { getAmountsForLiquidity } from '../liquidity/liquidity.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { createRandom } from '../random/create-random.ts'
import { accrueFees } from './position-fees.ts'
import { full, plainOptions } from './backtest.fixture.ts'
import { replayFees } from './replay-fees.ts'
import { replayStrategies } from './replay-strategies.ts'

/** Prices of WETH in USDC, their ticks, and the liquidity that 10,000 USD buy at the close of the first minute, tick 201101. */
const ranges = [
  rangeOf('1600-2100', 199_820, 202_540),
  rangeOf('1750-1900', 200_820, 201_650),
  rangeOf('1800-1860', 201_040, 201_360),
  rangeOf('1830-1850', 201_090, 201_200),
]

function rangeOf(dollars: string, tickLower: number, tickUpper: number) {
  return { dollars, tickLower, tickUpper, liquidity: liquidityFor(10_000, { tickLower, tickUpper }) }
}

function liquidityFor(usd: number, { tickLower, tickUpper }: { tickLower: number; tickUpper: number }): bigint {
  const unit = 10n ** 18n
  const { amount0, amount1 } = getAmountsForLiquidity(
    getSqrtPriceAtTick(201_101),
    getSqrtPriceAtTick(tickLower),
    getSqrtPriceAtTick(tickUpper),
    unit,
    false,
  )
  const unitUsd = Number(amount0) / 1e6 + (Number(amount1) / 1e18) * priceAt(201_101)
  return BigInt(Math.round((usd / unitUsd) * 1e18))
}

function priceAt(tick: number): number {
  return 1e12 / 1.0001 ** tick
}

type Range = (typeof ranges)[number]

function replay(bars: Bars, { tickLower, tickUpper, liquidity }: Range, fromBar: number, parts = 1) {
  const position = { tickLower, tickUpper, liquidity: Number(liquidity) / parts, feePips: 500, fromBar }
  const fees = replayFees(bars, position)
  const usd = parts * (fees.amount0 / 1e6 + (fees.amount1 / 1e18) * priceAt(202_033))
  return { ...fees, usd }
}

/** The same fees in integers alone, from the file's own digits: sums of fractions of 10^-30 of a smallest unit. */
function exactFees({ tickLower, tickUpper, liquidity }: Range): [fees0: bigint, fees1: bigint] {
  const scale = 10n ** 30n
  let fees0 = 0n
  let fees1 = 0n
  for (const record of readShippedRecords().slice(1)) {
    const ticks = [record.lowestTick, record.highestTick, record.closeTick, record.openTick].map(Number)
    const [low, high] = [Math.min(...ticks), Math.max(...ticks)]
    const inside = low === high ? Number(low >= tickLower && low < tickUpper) : overlap(low, high, tickLower, tickUpper)
    const numerator = scale * 500n * BigInt(inside) * liquidity
    const denominator = 1_000_000n * BigInt(Math.max(1, high - low)) * (BigInt(record.currentLiquidity) + liquidity)
    fees0 += (BigInt(record.inAmount0) * numerator) / denominator
    fees1 += (BigInt(record.inAmount1) * numerator) / denominator
  }
  return [fees0 / 10n ** 18n, fees1 / 10n ** 18n]
}

function overlap(low: number, high: number, lower: number, upper: number): number {
  return Math.max(0, Math.min(high, upper) - Math.max(low, lower))
}

describe('fees on the shipped minutes', () => {
  const { bars } = readShippedBars()

  test.each(ranges)('equal a computation in integers, $dollars', (range) => {
    const [exact0, exact1] = exactFees(range)
    const { amount0, amount1 } = replay(bars, range, 1)
    expect(amount0 / (Number(exact0) / 1e12)).toBeCloseTo(1, 11)
    expect(amount1 / (Number(exact1) / 1e12)).toBeCloseTo(1, 11)
  })

  test('are those of a strategy with that position, minted in the first bar', () => {
    const range = { ...ranges[0]!, tickLower: -887_270, tickUpper: 887_270 }
    const options = { ...plainOptions, feePips: 500, tickSpacing: 10, decimals0: 6, baseToken: 1 as const }
    const [result] = replayStrategies(bars, [full], options).strategies
    const fees = replay(bars, { ...range, liquidity: liquidityFor(10_000, range) }, 1)
    expect((result?.feesEarned0 ?? 0) / fees.amount0).toBeCloseTo(1, 9)
    expect((result?.feesEarned1 ?? 0) / fees.amount1).toBeCloseTo(1, 9)
    expect((result?.feesEarnedUsd ?? 0) / fees.usd).toBeCloseTo(1, 9)
    expect(result?.feeUncertaintyPct).toBeCloseTo(fees.feeUncertaintyPct, 4)
  })

  test('are the same from fee growth as from inputs', () => {
    const perLiquidity = (inputs: Float64Array) =>
      inputs.map((input, bar) => (input * 5e-4) / (bars.liquidity[bar] ?? 0))
    const feeGrowth = { token0: perLiquidity(bars.amount0In), token1: perLiquidity(bars.amount1In) }
    for (const range of ranges) {
      expect(replay({ ...bars, feeGrowth }, range, 1).usd / replay(bars, range, 1).usd).toBeCloseTo(1, 12)
    }
  })
})

/** Fees by minutes in US dollars, and how far other bars and other rules are off, in percent of them. */
const ladder = [
  {
    dollars: '1600-2100',
    usd: 35.626,
    closeOnly: -0.7,
    openClose: 0.06,
    undiluted: 0.22,
    hour: 0.57,
    day: -1.53,
    dayLast: 10.01,
  },
  {
    dollars: '1750-1900',
    usd: 36.462,
    closeOnly: 0.19,
    openClose: 0.39,
    undiluted: 0.35,
    hour: 4.45,
    day: 27.04,
    dayLast: 40.77,
  },
  {
    dollars: '1800-1860',
    usd: 58.305,
    closeOnly: -0.75,
    openClose: 0.02,
    undiluted: 0.69,
    hour: 0.96,
    day: 6.73,
    dayLast: 16.32,
  },
  {
    dollars: '1830-1850',
    usd: 54.71,
    closeOnly: -1.93,
    openClose: -0.25,
    undiluted: 1.39,
    hour: 10.47,
    day: 3.07,
    dayLast: -2.87,
  },
] as const

describe('the accuracy of bars', () => {
  const { bars } = readShippedBars()
  const hours = resampleBars(bars, 3600)
  const days = resampleBars(bars, 86_400)
  const lastOf = (column: Float64Array, perBar: number) =>
    Float64Array.from({ length: column.length / perBar }, (_, bar) => column[(bar + 1) * perBar - 1] ?? 0)
  const edges = [bars.openTick, bars.closeTick] as const
  const openClose = {
    ...bars,
    lowTick: edges[0].map((tick, bar) => Math.min(tick, edges[1][bar] ?? 0)),
    highTick: edges[0].map((tick, bar) => Math.max(tick, edges[1][bar] ?? 0)),
  }

  test.each(ladder)('is what docs/analytics.md says, $dollars', ({ dollars, usd, ...off }) => {
    const range = ranges.find((one) => one.dollars === dollars)!
    const minutes = replay(bars, range, 1).usd
    const offBy = (other: Bars, fromBar = 0, parts = 1) =>
      (replay(other, range, fromBar, parts).usd / minutes - 1) * 100
    expect(minutes).toBeCloseTo(usd, 2)
    expect(offBy({ ...bars, lowTick: bars.closeTick, highTick: bars.closeTick }, 1)).toBeCloseTo(off.closeOnly, 1)
    expect(offBy(openClose, 1)).toBeCloseTo(off.openClose, 1)
    expect(offBy(bars, 1, 1e9)).toBeCloseTo(off.undiluted, 1)
    expect(offBy(hours)).toBeCloseTo(off.hour, 1)
    expect(offBy(days)).toBeCloseTo(off.day, 1)
    expect(offBy({ ...days, liquidity: lastOf(bars.liquidity, 1440) })).toBeCloseTo(off.dayLast, 1)
  })

  test('is told: the stated uncertainty grows as bars grow and ranges narrow', () => {
    for (const barSeconds of [300, 900, 3600, 14_400, 86_400]) {
      const longer = resampleBars(bars, barSeconds)
      const said = ranges.map((range) => replay(longer, range, 0).feeUncertaintyPct)
      expect(said.at(-1)).toBeGreaterThan(said[0] ?? 0)
      for (const [index, range] of ranges.entries()) {
        expect(said[index]).toBeGreaterThan(replay(bars, range, 1).feeUncertaintyPct)
      }
    }
  })

  test.each([300, 900, 3600, 14_400, 86_400])(
    'of %s seconds: 19 of 20 ranges earn within the stated uncertainty of what they earn by minutes',
    (barSeconds) => {
      const longer = resampleBars(bars, barSeconds)
      const kept = [[0.01, 0.03] as const, [0.03, 0.08] as const, [0.08, 0.2] as const, [0.2, 0.5] as const].map(
        ([narrowest, widest]) => {
          const held = anyRanges(bars, narrowest, widest).flatMap((range) => {
            const known = replay(bars, range, 0).usd
            const { usd, feeUncertaintyPct } = replay(longer, range, 0)
            return known > 0 ? [Number(Math.abs(usd / known - 1) * 100 <= feeUncertaintyPct)] : []
          })
          return held.reduce((sum, one) => sum + one, 0) / held.length
        },
      )
      expect(mean(kept)).toBeGreaterThanOrEqual(0.95)
      expect(Math.min(...kept)).toBeGreaterThanOrEqual(0.92)
    },
  )
})

/** So many ranges of widths between two, each about the price at some bar, which lies 20 to 80 % of the way up. */
function anyRanges({ closeTick }: Bars, narrowest: number, widest: number): Range[] {
  const random = createRandom(1, 1)
  return Array.from({ length: 300 }, () => {
    const halfTicks = Math.log1p((narrowest + random.uniform() * (widest - narrowest)) / 2) / Math.log(1.0001)
    const tick = closeTick[Math.floor(random.uniform() * closeTick.length)] ?? 0
    const tickLower = Math.round((tick - halfTicks * (0.4 + 1.2 * random.uniform())) / 10) * 10
    const tickUpper = Math.max(tickLower + 10, Math.round((tickLower + 2 * halfTicks) / 10) * 10)
    return { dollars: '', tickLower, tickUpper, liquidity: 10n ** 16n }
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

describe('fees of a position', () => {
  const bar = { openTick: 5, lowTick: 5, highTick: 5, closeTick: 5, amount0In: 1000, amount1In: 2000, liquidity: 30 }
  const bars = barsFromRows(
    [
      { ...bar, startsAt: 0 },
      { ...bar, startsAt: 60, lowTick: 0, highTick: 20 },
      { ...bar, startsAt: 120, openTick: 10, lowTick: 10, highTick: 10, closeTick: 10 },
      { ...bar, startsAt: 180, liquidity: 0 },
    ],
    60,
  ).bars
  const position = { tickLower: 0, tickUpper: 10, liquidity: 10, feePips: 100_000 }

  test('go by the share of ticks in the range and by the share of liquidity, the upper tick left out, and nothing where no liquidity is', () => {
    const columns = { share: new Float64Array(4), fee0: new Float64Array(4), fee1: new Float64Array(4) }
    const { fee0, fee1, share } = columns
    accrueFees(bars, { ...position, fee: 0.1 }, 0, 4, columns)
    expect([...share]).toEqual([1, 0.5, 0, 1])
    expect([...fee0]).toEqual([25, 12.5, 0, 0])
    expect([...fee1]).toEqual([50, 25, 0, 0])
    expect(replayFees(bars, position)).toMatchObject({ amount0: 37.5, amount1: 75, inRangeShare: 0.625 })
  })

  test('begin with the bar that is told, and leave the protocol its part', () => {
    const { amount0, inRangeShare } = replayFees(bars, { ...position, fromBar: 1, protocolFeeShare: 0.2 })
    expect(amount0).toBeCloseTo(12.5 * 0.8, 12)
    expect(inRangeShare).toBe(0.5)
  })

  test('stand in the full range and in one tick', () => {
    expect(replayFees(bars, { ...position, tickLower: -887_272, tickUpper: 887_272 }).inRangeShare).toBe(1)
    expect(replayFees(bars, { ...position, tickLower: 5, tickUpper: 6 }).inRangeShare).toBe(2.05 / 4)
  })

  test('are refused for what is no position', () => {
    const refused = (changes: object) => () => replayFees(bars, { ...position, ...changes })
    expect(refused({ tickLower: 10 })).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
    expect(refused({ tickUpper: Number.NaN })).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
    for (const liquidity of [0, -1, Number.NaN, Infinity]) {
      expect(refused({ liquidity })).toThrow(expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' }))
    }
    for (const fromBar of [-1, 0.5]) {
      expect(refused({ fromBar })).toThrow(expect.objectContaining({ code: 'BACKTEST_OPTION_OUT_OF_RANGE' }))
    }
    for (const fee of [{ feePips: 1e6 }, { feePips: -1 }, { protocolFeeShare: 1.1 }]) {
      expect(refused(fee)).toThrow(expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }))
    }
  })
})
