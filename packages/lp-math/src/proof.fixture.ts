import { CASES, seededNormal, seededUniform } from './closed-form/closed-form.fixture.ts'
import type { PriceBounds, PriceModel } from './closed-form/price-model.ts'

/** What a closed form says, and the same in two other ways; a word instead where a way means nothing. */
export type Proof = {
  readonly says: (at: Case) => number
  /** The same as an integral, to `within` of it, or of `least` where that is more. */
  readonly quadrature: ((at: Case) => number) | string
  readonly within?: number
  readonly least?: (at: Case) => number
  /** One sample of what has the closed form for its mean. */
  readonly sample: ((at: Case, draw: Draw) => number) | string
  readonly samples?: number
  /** What a rare sample is: the mean of few samples may miss up to four of them. */
  readonly rare?: (at: Case) => number
  /** The cases in which it means something, all unless told. */
  readonly only?: (at: Case) => boolean
}

export type Case = { readonly name: string; readonly bounds: PriceBounds; readonly model: PriceModel }

export type Draw = {
  /** A standard normal number, and one even between 0 and 1. */
  readonly z: number
  readonly u: number
  /** More normal numbers, for a path. */
  readonly next: () => number
}

/** Models calm and wild, driven and not, over minutes, a month and years, each with ranges of every kind. */
export const GRID: readonly Case[] = [
  ...CASES.map(([name, bounds, model]) => ({ name, bounds, model })),
  ...[10 / 525_600, 30 / 365, 3].flatMap((years) =>
    [0.02, 0.8, 5].flatMap((sigma) =>
      [0, 0.7].flatMap((drift) => rangesOf({ price: sigma === 5 ? 1e-9 : 2000, sigma, drift, years })),
    ),
  ),
]

/** Bounds so many deviations of the horizon from the price. */
function rangesOf(model: PriceModel): Case[] {
  const { price, sigma, drift, years } = model
  const at = (deviations: number): number => price * Math.exp(deviations * sigma * Math.sqrt(years))
  const ranges: readonly (readonly [string, number, number])[] = [
    ['around', at(-1), at(1.1)],
    ['lopsided', at(-0.4), at(1.5)],
    ['above', at(0.3), at(1.2)],
    ['below', at(-1.2), at(-0.3)],
    ['one tick', price * 0.99997, price * 1.00007],
    ['no lower bound', 0, at(0.5)],
    ['no upper bound', at(-0.5), Number.POSITIVE_INFINITY],
    ['full', 0, Number.POSITIVE_INFINITY],
  ]
  const name = `${sigma} a year driven by ${drift} over ${years} years`
  return ranges.map(([kind, lower, upper]) => ({ name: `${kind}, ${name}`, bounds: { lower, upper }, model }))
}

/** How far the mean of seeded samples lies from what the closed form says, in its standard errors. */
export function standardErrorsOff({ says, sample, samples = DRAWS.length, rare }: Proof, at: Case): number {
  if (typeof sample === 'string') return Number.NaN
  const expected = says(at)
  const next = seededNormal(7)
  let [sum, squares] = [0, 0]
  for (const { z, u } of DRAWS.slice(0, samples)) {
    const off = sample(at, { z, u, next }) - expected
    sum += off
    squares += off * off
  }
  const scatter = Math.sqrt(Math.max(squares / samples - (sum / samples) ** 2, 0) / samples)
  const rounding = 1e-13 * Math.abs(expected) + Number.MIN_VALUE
  return Math.abs(sum / samples) / (scatter + (rare?.(at) ?? 0) / samples + rounding)
}

const DRAWS = drawn(1024)

function drawn(count: number): readonly Omit<Draw, 'next'>[] {
  const [normal, uniform] = [seededNormal(20_261_122), seededUniform(1_234_567)]
  return Array.from({ length: count }, () => ({ z: normal(), u: uniform() }))
}

/** The price at the horizon. */
export function priceAtEnd(model: PriceModel, z: number): number {
  return priceAfter(model, model.years, z)
}

/** The price at a time before the horizon, each as likely as another. */
export function priceSometime(model: PriceModel, { z, u }: Draw): number {
  return priceAfter(model, model.years * u, z)
}

function priceAfter({ price, sigma, drift }: PriceModel, years: number, z: number): number {
  return price * Math.exp((drift - sigma ** 2 / 2) * years + sigma * Math.sqrt(years) * z)
}

export function isWithin(price: number, { lower, upper }: PriceBounds): boolean {
  return price >= lower && price < upper
}

/** Whether means of the price itself come from samples that are drawn, and not from some so high that none is. */
export function isDrawable({ model }: Case): boolean {
  return model.sigma * Math.sqrt(model.years) < 1.5
}
