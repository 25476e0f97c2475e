import { barsFromRows, replayStrategies, type StrategyResult } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { formatBacktest, backtestWinner } from './format-backtest.ts'

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

const result = (name: string, endValueUsd: number, change: Partial<StrategyResult> = {}): StrategyResult => ({
  name,
  firstRange: { lower: 0, upper: Infinity, tickLower: -887_270, tickUpper: 887_270 },
  firstLiquidityShare: 0.01,
  putOffSeconds: 0,
  endValueUsd,
  feesEarnedUsd: 50,
  feesEarned0: 0,
  feesEarned1: 0,
  feeUncertaintyPct: 4,
  ilCostUsd: 0,
  hodlMoveUsd: 0,
  lvrUsd: 0,
  gasUsd: 0,
  rebalanceGasUsd: 0,
  swapCostUsd: 0,
  rebalances: [],
  netReturnPct: 0,
  hodlEndValueUsd: 0,
  vsHodlPct: 1,
  versus5050Pct: 0,
  inRangePct: 100,
  sharpeRatio: null,
  maxDrawdownPct: 0,
  equity: [],
  barEquityUsd: null,
  barFeesUsd: null,
  barIlUsd: null,
  bySwap: null,
  ...change,
})
const period = { startsAt: 0, endsAt: 14 * 86_400, laterWinners: ['b', 'a', 'b'] }
const known = { gaps: 0, hasAllTrades: true, isGasKnown: true }

test('ended with the most, and leads by more than the fees of both may be off', () => {
  const strategies = [result('a', 1_000), result('b', 1_004.01)]
  expect(backtestWinner({ ...period, strategies }, known)).toEqual({
    strategy: 'b',
    reason:
      'Ended with 1004.01 USD: fees 50.00 USD (+/-4.0 %), IL 0.00 USD, gas 0.00 USD, swaps 0.00 USD, in range 100.0 % of the time.',
    leadUsd: 4.01,
    leadAheadUsdLow95: null,
    leadAheadUsdLow68: null,
    leadAheadUsdHigh68: null,
    leadAheadUsdHigh95: null,
    caveat:
      'One past of 14 days, no forecast. The lead over a, 4.01 USD, is more than what the fees of both may be off, 4.00 USD. ' +
      'The day of entry is not in that: of 3 starts, each a day later than the one before, it leads in 2.',
  })
})

test('says where the lead is within the doubt, where holding was better, and what is missing', () => {
  const strategies = [result('a', 1_000), result('b', 1_003.99, { vsHodlPct: -2.5 })]
  const { caveat } = backtestWinner({ ...period, strategies }, { ...known, gaps: 3, hasAllTrades: false })
  expect(caveat).toContain('is within what the fees of both may be off')
  expect(backtestWinner({ ...period, strategies, laterWinners: [] }, known).caveat).toContain(
    'The day of entry is not in that: the period is too short to try another.',
  )
  expect(caveat).toContain('It ended 2.50 % below its first tokens held.')
  expect(caveat).toContain('3 hours without data')
  expect(caveat).toContain('Trades of the period are missing.')
  expect(backtestWinner({ ...period, strategies: [result('a', 1)] }, known).caveat).toBe(
    'One past of 14 days, no forecast.',
  )
})

test('says how far the lead of as many days to come may go', () => {
  const equity = (changeUsd: number) =>
    Array.from({ length: 15 }, (_, day) => ({ at: 86_400 * day, valueUsd: 1_000 + changeUsd * (day + (day % 2)) }))
  const strategies = [result('a', 1_000, { equity: equity(0) }), result('b', 1_014, { equity: equity(1) })]
  const winner = backtestWinner({ ...period, strategies }, known)
  expect((winner.leadAheadUsdLow95! + winner.leadAheadUsdHigh95!) / 2).toBeCloseTo(7, 6)
  expect(winner.caveat).toContain('Over 14 more days it is to end ')
})

test('is silent on gas that does not count', () => {
  const { reason } = backtestWinner({ ...period, strategies: [result('a', 1)] }, { ...known, isGasKnown: false })
  expect(reason).toContain(', IL 0.00 USD, swaps 0.00 USD, ')
})
