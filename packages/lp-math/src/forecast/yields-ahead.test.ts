import { expect, test } from 'vitest'
import { createRangeAnalyser } from '../range-choice/create-range-analyser.ts'
import { busyMarket } from '../range-choice/range-market.fixture.ts'
import { yieldIntervals, type YieldOutlook, yieldsAhead } from './yields-ahead.ts'
import { leadAhead } from './level-ahead.ts'

const market = busyMarket(100)
const { model, profile, value } = market
const range = createRangeAnalyser(market).analyse({ lower: 0.8 * model.price, upper: 1.25 * model.price })
const sure: YieldOutlook = {
  model,
  profile,
  value,
  gasApr: range.gasApr,
  fees: { location: Math.log(market.feesPerDay), scale: 0, freedom: 6 },
  volatility: null,
  seed: 1,
}
const mean = (values: Float64Array) => values.reduce((sum, one) => sum + one, 0) / values.length

test('of known fees and a known volatility are on the average what the closed forms say', () => {
  const [draws] = yieldsAhead([range.bounds], sure)
  const expected = (range.feeApr + range.steadyFeeApr) / 2
  expect(Math.abs(mean(draws!.feeApr) / expected - 1)).toBeLessThan(0.04)
  const lvr = mean(draws!.feeApr) - mean(draws!.netApr) - range.gasApr
  expect(Math.abs(lvr / range.lvrApr - 1)).toBeLessThan(0.04)
})

test('are wider where fees and volatility are unsure, and the same for the same seed', () => {
  const fees = { ...sure.fees, scale: 0.6 }
  const volatility = { location: Math.log(model.sigma), scale: 0.3, freedom: 10 }
  const of = (change: Partial<YieldOutlook>) => yieldIntervals([range.bounds], { ...sure, ...change })[0]!
  const [known, unsure] = [of({}), of({ fees, volatility })]
  expect(unsure.netApr.high95 - unsure.netApr.low95).toBeGreaterThan(1.5 * (known.netApr.high95 - known.netApr.low95))
  expect(of({ fees, volatility })).toEqual(unsure)
  for (const { low95, low68, high68, high95 } of [unsure.feeApr, unsure.netApr]) {
    expect([low95, low68, high68, high95].toSorted((a, b) => a - b)).toEqual([low95, low68, high68, high95])
  }
})

test('of two pools of a pair go by the same prices, and by fees that are their own in part', () => {
  const outlook = { ...sure, fees: { ...sure.fees, scale: 0.6 } }
  const [one, other] = [500, 3_000].map((tier) => yieldsAhead([range.bounds], { ...outlook, tier })[0]!)
  const lvrs = [one!, other!].map(({ feeApr, netApr }) => feeApr.map((fee, future) => fee - (netApr[future] ?? 0)))
  for (const [future, lvr] of lvrs[0]!.entries()) expect(lvr).toBeCloseTo(lvrs[1]![future]!, 6)
  const logs = [one!, other!].map(({ feeApr }) => feeApr.map((fee) => Math.log(fee + 1e-9)))
  expect(logs[0]).not.toEqual(logs[1])
})

test("a winner's lead ahead is about half of the past one, and unknown of under 7 days", () => {
  const curve = (changes: readonly number[]) => {
    let valueUsd = 10_000
    return [0, ...changes].map((change, at) => ({ at: 86_400 * at, valueUsd: (valueUsd += change) }))
  }
  const changes = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? 30 : -10))
  const still = curve(changes.map(() => 0))
  const { low95, low68, high68, high95 } = leadAhead(curve(changes), still)!
  expect((low95 + high95) / 2).toBeCloseTo(150, 6)
  expect((low68 + high68) / 2).toBeCloseTo(150, 6)
  expect(low95).toBeLessThan(low68)
  expect(leadAhead(curve(changes.slice(0, 6)), curve(changes.slice(0, 6)))).toBeNull()
})
