import { expect, test } from 'vitest'
import { terminalInRangeProbability } from './stay-in-range-probability.ts'
import { priceFan } from './price-model.ts'

const model = { price: 2_000, sigma: 0.8, drift: 0.2, years: 0.25 }

test('the price lies below each line with the probability of its name, at every step', () => {
  const fan = priceFan(model, 6)
  const shares = { p5: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 }
  for (const [name, share] of Object.entries(shares) as [keyof typeof shares, number][]) {
    expect(fan[name]).toHaveLength(7)
    expect(fan[name][0]).toBe(2_000)
    for (let step = 1; step <= 6; step += 1) {
      const bounds = { lower: 0, upper: fan[name][step]! }
      expect(terminalInRangeProbability(bounds, { ...model, years: (0.25 * step) / 6 })).toBeCloseTo(share, 10)
    }
  }
})

test('refuses steps that are no count and models that mean nothing', () => {
  expect(() => priceFan(model, 0)).toThrow(expect.objectContaining({ code: 'COUNT_OUT_OF_RANGE' }))
  expect(() => priceFan({ ...model, price: 0 }, 5)).toThrow(expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' }))
})
