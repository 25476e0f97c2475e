import { expect, test } from 'vitest'
import { widthNotes } from './format-backtest.ts'

const strategy = (name: string, rangePct: number | null) => ({ name, rangePct, rebalanceThresholdPct: null })
const laid = (lower: number, upper: number) => ({ firstRange: { lower, upper, tickLower: 0, tickUpper: 1 } })

test('tells of ranges that usable ticks made wider or narrower, and of no others', () => {
  const strategies = [strategy('tight', 0.1), strategy('narrow', 10), strategy('wide', 50), strategy('all', null)]
  const ranges = [laid(2_000, 2_012), laid(1_900, 2_110), laid(1_600, 2_400), laid(0, Infinity)]
  const about = { startPrice: 2_000, tickSpacing: 60 }
  expect(widthNotes(strategies, ranges, about)).toEqual([
    'Ranges of this pool lie on ticks 60 apart: "tight" is 0.6 % wide, not 0.1, "wide" is 40 % wide, not 50.',
  ])
  expect(widthNotes(strategies.slice(1, 2), ranges.slice(1, 2), about)).toEqual([])
})
