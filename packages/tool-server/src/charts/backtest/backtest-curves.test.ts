import { replayStrategies, type Bars } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { backtestCurves } from './backtest-curves.ts'

const strategies = [
  { name: 'narrow', rangePct: 4, rebalanceThresholdPct: 50 },
  { name: 'calm', rangePct: 60, rebalanceThresholdPct: null },
  { name: 'full', rangePct: null, rebalanceThresholdPct: null },
]

const terms = {
  startValueUsd: 1_000,
  feePips: 500,
  tickSpacing: 10,
  decimals0: 18,
  decimals1: 18,
  baseToken: 0,
  quoteUsd: 1,
  gasUsd: { open: 0, close: 0, rebalance: 0 },
} as const

/** Hours of a price that climbs by a fifth, in a pool of two tokens with as many decimals. */
function climbing(hours: number): Bars {
  const column = (value: (bar: number) => number) => Float64Array.from({ length: hours }, (_, bar) => value(bar))
  const tick = (bar: number) => (bar * 1_823) / (hours - 1)
  return {
    barSeconds: 3_600,
    startsAt: column((bar) => 1_700_000_000 + 3_600 * bar),
    openTick: column((bar) => tick(Math.max(0, bar - 1))),
    lowTick: column((bar) => tick(Math.max(0, bar - 1))),
    highTick: column(tick),
    closeTick: column(tick),
    amount0In: column(() => 1e18),
    amount1In: column(() => 1e18),
    liquidity: column(() => 1e23),
    feeGrowth: null,
  }
}

test('of thousands of ranges as many as can be told apart, with both ends, in order', () => {
  const hours = 6_000
  const moves = Array.from({ length: hours - 1 }, (_, move) => ({
    at: 1_700_003_600 + 3_600 * (move + 1),
    before: { lower: 1 + move, upper: 2 + move, tickLower: 0, tickUpper: 10 },
    after: { lower: 2 + move, upper: 3 + move, tickLower: 0, tickUpper: 10 },
  }))
  const restless = { name: 'restless', rangePct: 1, rebalanceThresholdPct: 0 }
  const result = replayStrategies(climbing(48), [restless], terms)
  const many = result.strategies.map((one) => ({
    ...one,
    firstRange: moves[0]!.before,
    rebalances: moves.map((move) => ({ ...one.rebalances[0]!, ...move })),
  }))
  const facts = { pair: 'A/B', chain: 'ethereum', fee: 500, caption: [], startValueUsd: 1_000, quoteUsd: 1 }
  const past = { price: Array.from({ length: hours }, () => 1), startsAt: 17e8, barSeconds: 3_600 }
  const [curve] = backtestCurves({
    ...facts,
    ...past,
    result: { ...result, strategies: many },
  }).strategies
  const at = curve?.ranges.map((range) => range.at) ?? []
  expect(at.length).toBeGreaterThan(150)
  expect(at.length).toBeLessThanOrEqual(202)
  expect(at).toEqual(at.toSorted((one, other) => one - other))
  expect(curve?.ranges[0]).toEqual({ at: 1_700_003_600, lower: 1, upper: 2 })
  expect(curve?.ranges.at(-1)).toEqual({ at: moves.at(-1)?.at, lower: hours, upper: hours + 1 })
})

test('the curves of a replay: HODL half and half, each range from when it was opened, thinned columns with both ends', () => {
  const bars = climbing(1_000)
  const result = replayStrategies(bars, strategies, terms)
  const price = Array.from(bars.closeTick, (tick) => 1.0001 ** tick)
  const {
    prices,
    hodl,
    strategies: curves,
  } = backtestCurves({
    pair: 'A/B',
    chain: 'ethereum',
    fee: 500,
    caption: [],
    result,
    startValueUsd: 1_000,
    price,
    quoteUsd: 1,
    startsAt: 17e8,
    barSeconds: 3600,
  })
  expect(prices.length).toBeLessThanOrEqual(402)
  expect(prices[0]).toEqual({ at: 1_700_003_600, price: 1 })
  expect(prices.at(-1)).toEqual({ at: 1_703_600_000, price: price.at(-1) })
  expect(hodl[0]?.valueUsd).toBe(1_000)
  expect(hodl.at(-1)?.valueUsd).toBeCloseTo(500 + 500 * 1.0001 ** 1_823, 6)
  const [narrow, calm, full] = curves
  expect(narrow?.ranges).toHaveLength(1 + (result.strategies[0]?.rebalances.length ?? 0))
  expect(narrow?.ranges.length).toBeGreaterThan(3)
  expect(narrow?.ranges[1]?.at).toBe(result.strategies[0]?.rebalances[0]?.at)
  for (const [index, { ranges }] of curves.slice(0, 2).entries()) {
    const { lower, upper } = result.strategies[index]!.firstRange
    expect(ranges[0], 'the range that was replayed').toEqual({ at: 1_700_003_600, lower, upper })
  }
  expect(calm?.ranges).toHaveLength(1)
  expect(calm?.ranges[0]?.lower, 'on ticks of the pool').not.toBe(0.7)
  expect(full?.ranges).toEqual([{ at: 1_700_003_600, lower: 0, upper: 'Infinity' }])
  expect(JSON.parse(JSON.stringify(curves)), 'JSON keeps them whole').toEqual(curves)
  expect(narrow?.equity).toBe(result.strategies[0]?.equity)
  expect(
    hodl.map(({ at }) => at),
    'holding at the same pace',
  ).toEqual(narrow?.equity.map(({ at }) => at))
  expect([narrow?.fees, narrow?.il], 'not kept by the replay').toEqual([undefined, undefined])
})

test('a value at each bar that is shown, where the replay kept one', () => {
  const bars = climbing(1_000)
  const result = replayStrategies(bars, strategies, { ...terms, withBarEquity: true })
  const price = Array.from(bars.closeTick, (tick) => 1.0001 ** tick)
  const facts = { pair: 'A/B', chain: 'ethereum', fee: 500, caption: [], startValueUsd: 1_000, quoteUsd: 1 }
  const curves = backtestCurves({ ...facts, result, price, startsAt: 17e8, barSeconds: 3600 })
  for (const [index, { equity }] of curves.strategies.entries()) {
    expect(equity.map(({ at }) => at)).toEqual(curves.prices.map(({ at }) => at))
    expect(equity.at(-1)?.valueUsd).toBe(result.strategies[index]!.barEquityUsd!.at(-1))
    expect(
      curves.hodl.map(({ at }) => at),
      'at one pace',
    ).toEqual(equity.map(({ at }) => at))
    const { fees, il } = curves.strategies[index]!
    expect(fees?.at(-1)).toEqual({ at: equity.at(-1)?.at, valueUsd: result.strategies[index]!.feesEarnedUsd })
    expect(il?.at(-1)?.valueUsd).toBeCloseTo(result.strategies[index]!.ilCostUsd, 6)
    expect(fees?.length).toBeLessThan(150)
  }
})
