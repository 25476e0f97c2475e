import { describe, expect, test } from 'vitest'
import { barsAlong, full, plainOptions, still } from './backtest.fixture.ts'
import type { BacktestOptions, BacktestStrategy } from './backtest-options.ts'
import type { Bars } from '../bars/bars.ts'
import { createRandom } from '../random/create-random.ts'
import { replayStrategies } from './replay-strategies.ts'
import type { StrategyResult } from './strategy-result.ts'

function replay(bars: Bars, strategy: BacktestStrategy, options: Partial<BacktestOptions> = {}): StrategyResult {
  const [result] = replayStrategies(bars, [strategy], { ...plainOptions, ...options }).strategies
  if (result === undefined) throw new Error('No result.')
  return result
}

/** Ticks in which a price is `ratio` times the one at tick 0. */
const tickAt = (ratio: number) => Math.log(ratio) / Math.log(1.0001)

describe('a strategy over a price that stands', () => {
  const bars = barsAlong([0.5, 0.5, 0.5])

  test('earns its share of each bar but the one it was minted in, and loses nothing', () => {
    const result = replay(bars, full)
    const own = 10_000e18 / 2 / 1.0001 ** 0.25
    const perLeg = (2 * 1e15 * 0.003 * own) / (1e20 + own)
    expect(result.feesEarned0 / perLeg).toBeCloseTo(1, 12)
    expect(result.feesEarned1 / perLeg).toBeCloseTo(1, 12)
    expect(result.feesEarnedUsd).toBeCloseTo((perLeg / 1e18) * (1 + 1.0001 ** 0.5), 12)
    expect(result.endValueUsd).toBeCloseTo(10_000 + result.feesEarnedUsd, 9)
    expect([result.ilCostUsd, result.lvrUsd, result.hodlMoveUsd, result.maxDrawdownPct]).toEqual([0, 0, 0, 0])
    expect(result.inRangePct).toBe(100)
    expect(result.firstLiquidityShare).toBeCloseTo(own / (1e20 + own), 12)
    expect(result.rebalances).toEqual([])
  })

  test('is as large for the pool as beside what it usually holds, whatever it held at first', () => {
    const young = { ...bars, liquidity: Float64Array.of(1, 1e20, 1e20) }
    expect(replay(young, full).firstLiquidityShare).toBe(replay(bars, full).firstLiquidityShare)
    const thin = { ...bars, liquidity: Float64Array.of(1e20, 1, 1) }
    expect(replay(thin, full).firstLiquidityShare).toBeGreaterThan(0.99)
  })

  test('pays gas to open and to close, each as of its bar, and leaves the protocol its part', () => {
    const gasUsd = { open: Float64Array.of(3, 0, 0), close: Float64Array.of(0, 0, 4), rebalance: 100 }
    const free = replay(bars, full)
    const result = replay(bars, full, { gasUsd, protocolFeeShare: 0.25 })
    expect(result.gasUsd).toBe(7)
    expect(result.rebalanceGasUsd).toBe(0)
    expect(result.feesEarnedUsd / free.feesEarnedUsd).toBeCloseTo(0.75, 12)
    expect(result.equity[0]?.valueUsd).toBeCloseTo(9997, 9)
    expect(result.endValueUsd).toBeCloseTo(10_000 - 7 + result.feesEarnedUsd, 9)
    expect(result.maxDrawdownPct).toBeCloseTo((7 - result.feesEarnedUsd) / 100, 9)
  })

  test('earns nothing where nothing is traded', () => {
    const result = replay(barsAlong([0.5, 0.5, 0.5], { input: 0 }), still)
    expect([result.feesEarnedUsd, result.feeUncertaintyPct]).toEqual([0, 0])
    expect(result.netReturnPct).toBeCloseTo(0, 12)
  })
})

describe('a strategy over a price that moves', () => {
  test('in the full range loses 2 sqrt(r) / (1 + r) - 1 against holding, in one step as IL and as LVR', () => {
    const result = replay(barsAlong([0, tickAt(1.44)], { input: 0 }), full)
    expect(result.hodlEndValueUsd).toBeCloseTo(12_200, 6)
    expect(result.vsHodlPct).toBeCloseTo(((2 * 1.2) / 2.44 - 1) * 100, 9)
    expect(result.versus5050Pct).toBeCloseTo(result.vsHodlPct, 9)
    // And so where the quote token doubles in dollars.
    const dear = replay(barsAlong([0, tickAt(1.44)], { input: 0 }), full, { quoteUsd: Float64Array.of(1, 2) })
    expect(dear.hodlEndValueUsd).toBeCloseTo(24_400, 6)
    expect(dear.versus5050Pct).toBeCloseTo(result.versus5050Pct, 9)
    expect(result.ilCostUsd).toBeCloseTo(200, 6)
    expect(result.lvrUsd).toBeCloseTo(200, 6)
    expect(result.hodlMoveUsd).toBeCloseTo(2200, 6)
  })

  test('comes back without IL, though not without LVR', () => {
    const result = replay(barsAlong([0, tickAt(1.44), 0], { input: 0 }), full)
    expect(result.ilCostUsd).toBeCloseTo(0, 9)
    // Back down: what the pool held at 12,000 is worth 8,333.33 + 1,666.67 ... against 10,000.
    expect(result.lvrUsd).toBeCloseTo(200 + (6000 / 1.44 + 6000 - 10_000), 6)
    expect(result.maxDrawdownPct).toBeCloseTo((1 - 1 / 1.2) * 100, 9)
  })

  test('loses to the market by the day what its volatility says, sigma^2 / 8 of its value a year', () => {
    const normals = new Float64Array(30 * 1440)
    createRandom(7).fillNormals(normals, 0, normals.length)
    const step = 0.8 / Math.sqrt(365 * 1440) / Math.log(1.0001)
    const ticks = [0.5]
    for (const normal of normals) ticks.push((ticks.at(-1) ?? 0) + step * normal)
    const bars = barsAlong(ticks, { barSeconds: 60, input: 0 })
    const result = replay(bars, full, { withBarEquity: true })
    const meanValueUsd =
      (result.barEquityUsd ?? new Float64Array()).reduce((sum, value) => sum + value, 0) / ticks.length
    expect(result.lvrUsd / ((0.8 ** 2 / 8) * meanValueUsd * (30 / 365))).toBeCloseTo(1, 1)
  })

  test('tells fees and impermanent loss bar by bar, over all positions, up to what it sums them to', () => {
    const path = barsAlong([0, 0, 0, 900, 900, 900, 1500, 1500, 1500, 200], { liquidity: 1e30 })
    const rule = { name: 'moved', rangePct: 10, rebalanceThresholdPct: 1 }
    const result = replay(path, rule, { withBarEquity: true })
    expect(result.rebalances.length).toBeGreaterThan(0)
    const [fees, loss] = [result.barFeesUsd ?? [], result.barIlUsd ?? []]
    expect([fees[0], loss[0]]).toEqual([0, 0])
    expect(fees.at(-1)).toBe(result.feesEarnedUsd)
    expect(loss.at(-1)).toBeCloseTo(result.ilCostUsd, 9)
    expect(loss[3], 'before the move').toBeGreaterThan(0)
    expect(loss[4], 'a move keeps what was lost').toBeCloseTo(loss[3] ?? 0, 9)
  })

  test('lays its range half to each side of the price of the base token, at usable ticks', () => {
    const rule = { name: 'moved', rangePct: 10, rebalanceThresholdPct: 1 }
    const path = barsAlong([0, 0, 0, 900, 900, 900], { liquidity: 1e30 })
    const options = { tickSpacing: 60, decimals0: 6 }
    const [one] = replay(path, rule, options).rebalances
    expect(one?.before).toMatchObject({ tickLower: -540, tickUpper: 480 })
    expect(one?.before.lower).toBeCloseTo(1.0001 ** -540 * 1e-12, 18)
    const [other] = replay(path, rule, { ...options, baseToken: 1 }).rebalances
    expect(other?.before).toMatchObject({ tickLower: -480, tickUpper: 540 })
    expect(other?.before.upper).toBeCloseTo(1.0001 ** 480 * 1e12, 0)
    const narrow = replay(path, { ...rule, rangePct: 0.01 }, options).rebalances[0]
    expect(narrow?.before).toMatchObject({ tickLower: 0, tickUpper: 60 })
  })

  test('counts the dollars of a quote that moves as the holder does', () => {
    const quoteUsd = Float64Array.of(1, 2, 3)
    const result = replay(barsAlong([0.5, 0.5, 0.5], { input: 0 }), full, { quoteUsd })
    expect(result.endValueUsd).toBeCloseTo(30_000, 9)
    expect(result.hodlMoveUsd).toBeCloseTo(20_000, 9)
    expect(result.vsHodlPct).toBeCloseTo(0, 12)
  })
})

describe('a position out of its range', () => {
  const rule = (rebalanceThresholdPct: number) => ({ name: 'rule', rangePct: 10, rebalanceThresholdPct })
  /** Inside until the third bar's close; the fourth leaves, the fifth and later are out whole. */
  const outAt = (bars: number, options = { liquidity: 1e30 }) =>
    barsAlong([0, 0, 0, ...Array.from({ length: bars }, () => 5000)], options)
  /** Of the bar from tick 0 to 5000 the part above the upper tick, 488. */
  const partOut = 1 - 488 / 5000

  test.each([
    [80, Math.ceil(0.8 * 24 - partOut)],
    [50, Math.ceil(12 - partOut)],
    [100, 24],
  ])('moves when %i %% of the trailing 24 hours are out, not before', (threshold, barsOut) => {
    const { rebalances } = replay(outAt(60), rule(threshold))
    expect(rebalances.map(({ at }) => at)).toEqual([1_700_000_000 + (3 + barsOut + 1) * 3600])
    expect(rebalances[0]?.after.lower).toBeCloseTo(1.0001 ** 5000 * 0.95, 3)
  })

  test('moves at once where any time out is enough, but not in the bar after a mint, nor in the last', () => {
    const paths = barsAlong([0, 5000, 5000, 10_000, 10_000, 15_000], { liquidity: 1e30 })
    const starts = replay(paths, rule(0)).rebalances.map(({ at }) => (at - 1_700_000_000) / 3600 - 1)
    expect(starts).toEqual([2, 4])
  })

  test('forgets what left the trailing 24 hours', () => {
    const outAndBack = [0, ...Array.from({ length: 10 }, () => 5000), ...Array.from({ length: 40 }, () => 0)]
    const twice = [...outAndBack, ...Array.from({ length: 10 }, () => 5000), 0, 0, 0]
    expect(replay(barsAlong(twice, { liquidity: 1e30 }), rule(50)).rebalances).toEqual([])
    expect(replay(barsAlong(twice, { liquidity: 1e30 }), rule(40)).rebalances.length).toBeGreaterThan(0)
  })

  test('forgets the first bar it was held in as any other', () => {
    const ticks = Array.from({ length: 40 }, (_, bar) => (bar === 1 || bar === 30 ? 2_000 : 0))
    const bars = barsAlong(ticks, { liquidity: 1e30 })
    // Out in parts of the bars 1 and 2, and of 30 and 31: never as much in one day as in both.
    const outADay = replay(bars, { ...still, rangePct: 10 }).inRangePct
    const out = (1 - outADay / 100) * (ticks.length - 1)
    expect(replay(bars, rule((((out / 2) * 1.2) / 24) * 100)).rebalances).toHaveLength(0)
    expect(replay(bars, rule((((out / 2) * 0.9) / 24) * 100)).rebalances.length).toBeGreaterThan(0)
  })

  test('waits while the pool has no liquidity, or too little to trade with', () => {
    const bars = outAt(60)
    bars.liquidity.fill(0, 10, 40)
    bars.liquidity.fill(1e20, 40, 50)
    const late = replay(bars, rule(80))
    const [moved] = late.rebalances
    expect(moved?.at).toBe(1_700_000_000 + 51 * 3600)
    const prompt = replay(outAt(60), rule(80))
    expect(late.putOffSeconds).toBe((moved?.at ?? 0) - (prompt.rebalances[0]?.at ?? 0))
    expect(prompt.putOffSeconds).toBe(0)
  })

  test('pays gas, the fee on what it swaps, and the price it moves', () => {
    const gasUsd = { open: 0, close: 0, rebalance: 5 }
    const deep = replay(outAt(60), rule(80), { gasUsd })
    const [moved] = deep.rebalances
    const valueUsd = deep.endValueUsd - deep.feesEarnedUsd + deep.gasUsd + deep.swapCostUsd
    // Above its range the position is all dollars; about half of them are swapped into the other token, less the fee.
    const half = 1 / (1 + (1 - Math.sqrt(0.95)) / (1 - 1 / Math.sqrt(1.05)))
    expect((moved?.swapCostUsd ?? 0) / (valueUsd * half * 0.003)).toBeCloseTo(1, 2)
    expect([deep.rebalanceGasUsd, deep.gasUsd, moved?.gasUsd]).toEqual([5, 5, 5])
    const shallow = replay(outAt(60, { liquidity: 1e25 }), rule(80), { gasUsd })
    expect(shallow.swapCostUsd).toBeGreaterThan(deep.swapCostUsd)
    expect(deep.inRangePct).toBeCloseTo(((2 + (1 - partOut) + 60 - 1 - 19) / 62) * 100, 9)
  })
})
