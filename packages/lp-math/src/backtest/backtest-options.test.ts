import { describe, expect, test } from 'vitest'
import { LpMathError } from '../lp-math-error.ts'
import { barsAlong, full, plainOptions, still } from './backtest.fixture.ts'
import { replayStrategies } from './replay-strategies.ts'

const bars = barsAlong([0, 0, 0])

function refusal({ strategies = [full] as object[], options = {}, from = bars } = {}): string {
  try {
    replayStrategies(from, strategies as (typeof full)[], { ...plainOptions, ...options })
  } catch (error) {
    return error instanceof LpMathError ? `${error.code}: ${error.message}` : String(error)
  }
  return 'none'
}

describe('a backtest is refused', () => {
  const column = (...values: number[]) => Float64Array.of(...values)
  const gasUsd = plainOptions.gasUsd

  test.each<[expected: RegExp, options: object]>([
    [/^BACKTEST_OPTION_OUT_OF_RANGE: startValueUsd/, { startValueUsd: 0 }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: startValueUsd/, { startValueUsd: Infinity }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: baseToken/, { baseToken: 2 }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: quoteUsd is/, { quoteUsd: 0 }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: quoteUsd\[1\]/, { quoteUsd: column(1, Number.NaN, 1) }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: quoteUsd has one entry for each of the 3/, { quoteUsd: column(1, 1) }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: gasUsd\.rebalance is/, { gasUsd: { ...gasUsd, rebalance: -1 } }],
    [/^BACKTEST_OPTION_OUT_OF_RANGE: gasUsd\.open\[2\]/, { gasUsd: { ...gasUsd, open: column(0, 0, -1) } }],
    [/^FEE_OUT_OF_RANGE: feePips/, { feePips: 1_000_000 }],
    [/^FEE_OUT_OF_RANGE: protocolFeeShare/, { protocolFeeShare: -0.1 }],
    [/^DECIMALS_OUT_OF_RANGE/, { decimals1: 1.5 }],
    [/^TICK_SPACING_OUT_OF_RANGE/, { tickSpacing: 0 }],
    [/^LIQUIDITY_OUT_OF_RANGE/, { startValueUsd: 1e300, quoteUsd: 1e-300 }],
  ])('with %s', (expected, options) => {
    expect(refusal({ options })).toMatch(expected)
  })

  test.each<[expected: RegExp, strategies: object[]]>([
    [/^STRATEGY_MALFORMED: strategies holds/, []],
    [/^STRATEGY_MALFORMED: strategies\[1\]\.name is not that/, [full, full]],
    [/^STRATEGY_MALFORMED: strategies\[0\]\.name is not empty/, [{ ...full, name: '' }]],
    [/^STRATEGY_MALFORMED: strategies\[1\]\.rangePct/, [full, { ...still, rangePct: 0 }]],
    [/^STRATEGY_MALFORMED: strategies\[0\]\.rangePct/, [{ ...still, rangePct: 200 }]],
    [/^STRATEGY_MALFORMED: strategies\[0\]\.rangePct/, [{ ...still, rangePct: Number.NaN }]],
    [/^STRATEGY_MALFORMED: strategies\[0\]\.rebalanceThresholdPct/, [{ ...still, rebalanceThresholdPct: 101 }]],
    [/^STRATEGY_MALFORMED: strategies\[0\]\.rebalanceThresholdPct/, [{ ...still, rebalanceThresholdPct: -1 }]],
  ])('with %s', (expected, strategies) => {
    expect(refusal({ strategies })).toMatch(expected)
  })

  test('over one bar, and over bars that are no bars', () => {
    expect(refusal({ from: barsAlong([0]) })).toMatch(/^BARS_MALFORMED: startsAt holds at least two/)
    expect(refusal({ from: { ...bars, liquidity: column(1, 1) } })).toMatch(/^BARS_MALFORMED: liquidity/)
  })
})

describe('equity', () => {
  test('has a point every 24 hours and one at the end, and every bar where asked for', () => {
    const run = (options: object) =>
      replayStrategies(barsAlong(Array.from({ length: 60 }, () => 0)), [full], { ...plainOptions, ...options })
    const [plain] = run({}).strategies
    const hours = plain?.equity.map(({ at }) => (at - 1_700_000_000) / 3600 - 1)
    expect(hours).toEqual([0, 24, 48, 59])
    expect([plain?.barEquityUsd, plain?.barFeesUsd, plain?.barIlUsd]).toEqual([null, null, null])
    const [detailed] = run({ withBarEquity: true }).strategies
    expect(detailed?.barEquityUsd?.[24]).toBe(detailed?.equity[1]?.valueUsd)
  })

  test('gives a Sharpe ratio from 14 returns on, and none where bars are no parts of a day', () => {
    const ticks = Array.from({ length: 15 }, (_, day) => (day % 3) * 50)
    const sharpeOf = (closes: number[], barSeconds: number) =>
      replayStrategies(barsAlong(closes, { barSeconds }), [full], plainOptions).strategies[0]?.sharpeRatio
    expect(sharpeOf(ticks, 86_400)).toBeGreaterThan(0)
    expect(sharpeOf(ticks.slice(1), 86_400)).toBeNull()
    expect(sharpeOf(ticks, 7 * 86_400)).toBeNull()
  })

  test('and prices begin and end at the closes of the first and the last bar', () => {
    const { startsAt, endsAt, startPrice, endPrice } = replayStrategies(barsAlong([0, 100]), [full], {
      ...plainOptions,
      decimals0: 6,
      baseToken: 1,
    })
    expect([startsAt, endsAt]).toEqual([1_700_003_600, 1_700_007_200])
    expect(startPrice).toBeCloseTo(1e12, 0)
    expect(endPrice * 1.0001 ** 100).toBeCloseTo(1e12, 0)
  })
})
