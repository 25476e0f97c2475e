import { expect, test } from 'vitest'
import { barsAlong, full, plainOptions, still } from './backtest.fixture.ts'
import { laterWinners } from './replay-strategies.ts'

/** 16 days of hours: a price that leaves a range of 10 % on the fourth day, and then stands. */
const ticks = Array.from({ length: 16 * 24 }, (_, hour) => (hour < 3.5 * 24 ? 0.5 : 3_000.5))
const strategies = [full, still]

test('tells who leads from each start, 1 to 7 days later', () => {
  expect(laterWinners(barsAlong(ticks), strategies, plainOptions)).toEqual([
    'full',
    'full',
    'full',
    'still',
    'still',
    'still',
    'still',
  ])
})

test('tries no start that leaves less than half of the bars, and none within a bar', () => {
  const at = (days: number) => laterWinners(barsAlong(ticks.slice(0, days * 24)), strategies, plainOptions).length
  expect([1, 2, 5, 14, 16].map(at)).toEqual([0, 1, 2, 7, 7])
  expect(laterWinners(barsAlong([0.5, 0.5], { barSeconds: 7 * 86_400 }), strategies, plainOptions)).toEqual([])
})

test('takes the columns of dollars and gas from the same bar on', () => {
  // Dear where it is not told of: only the first day would change the winner.
  const dear = Float64Array.from(ticks, (_, hour) => (hour < 24 ? 5_000 : 0))
  const gasUsd = { open: dear, close: dear, rebalance: dear }
  const quoteUsd = new Float64Array(ticks.length).fill(1)
  const plain = laterWinners(barsAlong(ticks), strategies, plainOptions)
  expect(laterWinners(barsAlong(ticks), strategies, { ...plainOptions, quoteUsd, gasUsd })).toEqual(plain)
})
