import type { PriceBounds, PriceModel } from './price-model.ts'

/**
 * Integral by the Gauss-Kronrod rule of 7 and 15 points, piece by piece between the points, halving a piece until the two rules agree:
 * another rule than the product's, and one that finds by itself where a function bends.
 */
export function quadrature(f: (x: number) => number, points: readonly number[]): number {
  const pieces = points.slice(0, -1).map((from, index) => ({ from, to: points[index + 1] ?? from }))
  const whole = pieces.reduce((sum, { from, to }) => sum + Math.abs(gaussKronrod(f, from, to).value), 0)
  const refined = (from: number, to: number, halvings: number): number => {
    const { value, error } = gaussKronrod(f, from, to)
    if (error <= 1e-12 * whole || halvings === 0) return value
    const middle = (from + to) / 2
    return refined(from, middle, halvings - 1) + refined(middle, to, halvings - 1)
  }
  return pieces.reduce((sum, { from, to }) => sum + refined(from, to, 40), 0)
}

/** Mean of `f` over the price at the horizon. */
export function meanAtHorizon(f: (price: number) => number, bounds: PriceBounds, model: PriceModel): number {
  const mean = (model.drift - model.sigma ** 2 / 2) * model.years
  const deviation = model.sigma * Math.sqrt(model.years)
  const kinks = [bounds.lower, bounds.upper].map((bound) => (Math.log(bound / model.price) - mean) / deviation)
  const ends = [-10, 0, 10 + deviation]
  const sorted = [...ends, ...kinks.filter((z) => z > -10 && z < 10 + deviation)].toSorted((a, b) => a - b)
  return quadrature((z) => f(model.price * Math.exp(mean + deviation * z)) * gauss(z), sorted)
}

/** Mean of `f` over the time to the horizon, by the root of the time, in which expectations are smooth. */
export function meanOverTime(f: (years: number) => number, years: number): number {
  const points = Array.from({ length: 33 }, (_, k) => (k * Math.sqrt(years)) / 32)
  return quadrature((root) => (root === 0 ? 0 : 2 * root * f(root * root)), points) / years
}

/** Density of the standard normal distribution. */
export function gauss(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/**
 * Probability that the price touches neither bound: its density carried on in steps so short that the two bounds do not feel one
 * another, where the bridge between two points survives either bound by a factor of its own.
 */
export function survivalBySteps({ lower, upper }: PriceBounds, { price, sigma, drift, years }: PriceModel): number {
  const deviation = sigma * Math.sqrt(years)
  const [low, high] = [Math.log(lower / price) / deviation, Math.log(upper / price) / deviation]
  // Below it the probability is less than 1e-23.
  if (low >= 0 || high <= 0 || high - low < 0.3) return 0
  const lean = ((drift - sigma ** 2 / 2) * years) / deviation
  const steps = Math.ceil(64 / Math.min(high - low, 8) ** 2)
  const [from, to] = [Math.max(low, -9 + Math.min(lean, 0)), Math.min(high, 9 + Math.max(lean, 0))]
  const nodes = nodesOf(from, to, Math.ceil((to - from) * Math.sqrt(steps) * 0.4))
  const kernel = (x: number, y: number): number => {
    const touches = Math.exp(-2 * steps * (high - x) * (high - y)) + Math.exp(-2 * steps * (x - low) * (y - low))
    const spread = Math.exp((-steps * (y - x - lean / steps) ** 2) / 2) * Math.sqrt(steps / (2 * Math.PI))
    return spread * Math.max(1 - touches, 0)
  }
  const carry = nodes.map(({ x: y }) => nodes.map(({ x, weight }) => weight * kernel(x, y)))
  let density = nodes.map(({ x }) => kernel(0, x))
  for (let step = 1; step < steps; step += 1) {
    const before = density
    density = carry.map((row) => row.reduce((sum, share, index) => sum + share * before[index]!, 0))
  }
  return density.reduce((sum, value, index) => sum + value * nodes[index]!.weight, 0)
}

function nodesOf(from: number, to: number, panels: number): { x: number; weight: number }[] {
  const half = (to - from) / (2 * panels)
  return Array.from({ length: panels }, (_, panel) => from + (2 * panel + 1) * half).flatMap((middle) =>
    KRONROD.flatMap(([x, weight]) =>
      (x === 0 ? [0] : [x, -x]).map((side) => ({ x: middle + half * side, weight: half * weight })),
    ),
  )
}

function gaussKronrod(f: (x: number) => number, from: number, to: number): { value: number; error: number } {
  const [middle, half] = [(from + to) / 2, (to - from) / 2]
  let [kronrod, gaussian] = [0, 0]
  for (const [x, weight, gaussWeight] of KRONROD) {
    const sum = x === 0 ? f(middle) : f(middle - half * x) + f(middle + half * x)
    kronrod += weight * sum
    gaussian += gaussWeight * sum
  }
  return { value: half * kronrod, error: half * Math.abs(kronrod - gaussian) }
}

/** Point, weight among the 15, weight among the 7. */
const KRONROD = [
  [0.9914553711208126, 0.02293532201052922, 0],
  [0.9491079123427585, 0.06309209262997856, 0.1294849661688697],
  [0.8648644233597691, 0.10479001032225019, 0],
  [0.7415311855993945, 0.14065325971552592, 0.27970539148927664],
  [0.5860872354676911, 0.1690047266392679, 0],
  [0.4058451513773972, 0.19035057806478542, 0.3818300505051189],
  [0.20778495500789848, 0.20443294007529889, 0],
  [0, 0.20948214108472782, 0.4179591836734694],
] as const
