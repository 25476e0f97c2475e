import type { StrategyResult } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { backtestWinner } from './format-backtest.ts'

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

test('is silent on gas that does not count', () => {
  const { reason } = backtestWinner({ ...period, strategies: [result('a', 1)] }, { ...known, isGasKnown: false })
  expect(reason).toContain(', IL 0.00 USD, swaps 0.00 USD, ')
})
