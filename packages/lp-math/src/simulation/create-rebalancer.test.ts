import { expect, test } from 'vitest'
import { positionValue } from '../closed-form/position-value.ts'
import { createRebalancer } from './simulate-rebalancing.ts'

const bounds = { lower: 90, upper: 110 }

/** A path by the hour, in (0) or out (1) of range, on which the position moves after six of 24 hours. */
function followed(hours: string, costPerRebalance = 0.01) {
  const steps = hours.length
  const model = { price: 100, sigma: 1, drift: 0, years: steps / 8_760 }
  const sums = { rebalances: 0, timeInRange: 0, positionValue: 0 }
  const path = Float64Array.from(`0${hours}`, (hour) => Number(hour) * Math.log(1.2))
  createRebalancer({ model, bounds, threshold: 0.25, costPerRebalance, steps })(path, sums)
  return sums
}

const times = (count: number, hours: string) => hours.repeat(count)

test('six hours out of the last 24 move the position, one after another or not', () => {
  expect(followed(times(5, '1') + times(40, '0')).rebalances).toBe(0)
  expect(followed(`${times(6, '1')}1`).rebalances).toBe(1)
  expect(followed(`${times(6, '01')}1`).rebalances).toBe(1)
})

test('hours that left the last 24 are forgotten', () => {
  expect(followed(times(5, '1') + times(19, '0') + '10').rebalances).toBe(0)
  expect(followed(times(5, '1') + times(18, '0') + '10').rebalances).toBe(1)
})

test('the position stands around the price at which it was moved, worth what it was less the cost', () => {
  const { positionValue: value, timeInRange } = followed(times(10, '1'))
  expect(value).toBeCloseTo((0.99 * positionValue(bounds, 120)) / positionValue(bounds, 100), 12)
  expect(timeInRange).toBeCloseTo((0.5 + 4) / 10, 12)
})

test('nothing is moved at the horizon', () => {
  expect(followed(times(6, '1')).rebalances).toBe(0)
})
