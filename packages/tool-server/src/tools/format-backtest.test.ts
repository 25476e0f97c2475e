import { barsFromRows, replayStrategies } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { formatBacktest } from './format-backtest.ts'

const strategies = [
  { name: 'some', rangePct: 20, rebalanceThresholdPct: 80 },
  { name: 'all', rangePct: null, rebalanceThresholdPct: null },
]
const row = { openTick: 0, lowTick: 0, highTick: 500, closeTick: 500, amount0In: 1e18, amount1In: 0, liquidity: 1e21 }
const { bars } = barsFromRows(
  [
    { ...row, startsAt: 0, closeTick: 0 },
    { ...row, startsAt: 3600 },
  ],
  3600,
)
const options = {
  startValueUsd: 1_000,
  feePips: 500,
  protocolFeeShare: 0,
  tickSpacing: 10,
  decimals0: 18,
  decimals1: 18,
  baseToken: 0 as const,
  quoteUsd: 2,
  gasUsd: { open: 1, close: 2, rebalance: 4 },
}
const replayed = { ...replayStrategies(bars, strategies, options), laterWinners: [] }
const about = {
  startValueUsd: 1_000,
  quoteUsd: 2,
  isGasKnown: true,
  tickSpacing: 10,
  completeness: { gaps: 0, hasAllTrades: true },
}

test('tells each strategy with what was asked of it, and gas that does not count as null', () => {
  const asked = strategies.map((strategy) => expect.objectContaining(strategy))
  expect(formatBacktest(strategies, replayed, about).strategies).toEqual(asked)
  const costs = (isGasKnown: boolean) => {
    const [some] = formatBacktest(strategies, replayed, { ...about, isGasKnown }).strategies
    return [some?.gasCostUsd, some?.rebalanceGasCostUsd]
  }
  expect([costs(true), costs(false)]).toEqual([
    [3, 0],
    [null, null],
  ])
})

test('holds half of the amount in each token, the quote at its price in dollars of that time', () => {
  const benchmark = (quoteUsd: number | Float64Array) =>
    formatBacktest(strategies, replayed, { ...about, quoteUsd }).hodlBenchmark
  const halves = 500 * (1 + 1.0001 ** 500)
  expect(benchmark(2)).toEqual({
    startValueUsd: 1_000,
    endValueUsd: expect.closeTo(halves, 5),
    returnPct: expect.closeTo(halves / 10 - 100, 6),
  })
  expect(benchmark(Float64Array.of(2, 3)).endValueUsd).toBeCloseTo(1.5 * halves, 5)
})
