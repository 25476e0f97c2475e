import { type Case, type Draw, isWithin } from '../proof.fixture.ts'
import type { PriceBounds } from './price-model.ts'
import { quadrature } from './quadrature.fixture.ts'

/** Mean time to leave between two bounds: the integral of Green's function of the motion, by its scale and speed. */
export function exitByGreen({ bounds, model }: Case): number {
  if (!isWithin(model.price, bounds)) return 0
  const { low, high } = distances(bounds, model.price)
  const bend = (2 * model.drift) / model.sigma ** 2 - 1
  // The scale between two points, seen from a third, so that nothing leaves the doubles.
  const scale = (from: number, to: number, seenFrom: number): number =>
    bend === 0 ? to - from : (Math.exp(-bend * (from - seenFrom)) * -Math.expm1(-bend * (to - from))) / bend
  const reaches = (from: number, to: number, of: number): number =>
    bend > 0 ? scale(from, to, low) / scale(low, of, low) : scale(from, to, high) / scale(low, of, high)
  const green = (y: number): number =>
    y > 0 ? reaches(low, 0, high) * scale(y, high, y) : reaches(0, high, high) * scale(low, y, y)
  const reach = 40 / Math.abs(bend)
  const near = [-reach, reach].filter((y) => y > low && y < high)
  const points = [low, ...near, 0, high].toSorted((a, b) => a - b)
  return (2 / model.sigma ** 2) * quadrature(green, points)
}

/** How long a path drawn at even steps stays, a step counting as much as its bridges are likely to stay. */
export function exitSample({ bounds, model }: Case, { next }: Draw): number {
  if (!isWithin(model.price, bounds)) return 0
  const { low, high } = distances(bounds, model.price)
  const speed = model.drift - model.sigma ** 2 / 2
  const years = Math.min(((high - low) / model.sigma) ** 2, (high - low) / Math.abs(speed)) / 100
  let stayed = 0.5
  followBridges({ low, high, mean: speed * years, deviation: model.sigma * Math.sqrt(years), next }, (stays) => {
    stayed += stays
    return stays > 1e-9
  })
  return stayed * years
}

/** How likely a path of 64 points stays to the horizon. */
export function staySample({ bounds, model }: Case, { next }: Draw): number {
  if (!isWithin(model.price, bounds)) return 0
  const years = model.years / 64
  const mean = (model.drift - model.sigma ** 2 / 2) * years
  let [steps, last] = [0, 1]
  const { low, high } = distances(bounds, model.price)
  followBridges({ low, high, mean, deviation: model.sigma * Math.sqrt(years), next }, (stays) => {
    last = stays
    steps += 1
    return stays > 0 && steps < 64
  })
  return last
}

function distances({ lower, upper }: PriceBounds, price: number): { low: number; high: number } {
  return { low: Math.log(lower / price), high: Math.log(upper / price) }
}

/** Tells after each step how likely the path so far touched neither bound, until told to end. */
function followBridges({ low, high, mean, deviation, next }: Bridges, goesOn: (stays: number) => boolean): void {
  const variance = deviation * deviation
  let [x, stays] = [0, 1]
  for (let isGoing = true; isGoing; isGoing = goesOn(stays)) {
    const y = x + mean + deviation * next()
    const isOut = y <= low || y >= high
    stays *= isOut ? 0 : -Math.expm1((-2 * (high - x) * (high - y)) / variance)
    stays *= isOut ? 0 : -Math.expm1((-2 * (x - low) * (y - low)) / variance)
    x = y
  }
}

type Bridges = {
  readonly low: number
  readonly high: number
  readonly mean: number
  readonly deviation: number
  readonly next: () => number
}
