import { type Case, isDrawable, isWithin, priceAtEnd, priceSometime, type Proof } from '../proof.fixture.ts'
import {
  breakEvenSigma,
  expectedHodlValue,
  expectedIl,
  expectedIlOfMeans,
  expectedLvr,
  expectedPositionValue,
  lvrRate,
} from './expected-il.ts'
import { createOccupationTable, expectedOccupation, occupationDensity, timeInRange } from './occupation.ts'
import { expectedExitYears, stayInRangeProbability, terminalInRangeProbability } from './stay-in-range-probability.ts'
import { expectedPrice, partialMoment, type PriceBounds, type PriceModel, probabilityBetween } from './price-model.ts'
import { hodlValue, impermanentLoss, positionValue } from './position-value.ts'
import { gauss, meanAtHorizon, meanOverTime, survivalBySteps } from './quadrature.fixture.ts'
import { exitByGreen, exitSample, staySample } from './exit-proof.fixture.ts'

/** What is expected of a random price. */
export const EXPECTATIONS: Readonly<Record<string, Proof>> = {
  expectedPrice: {
    says: ({ model }) => expectedPrice(model),
    quadrature: ({ model, bounds }) => meanAtHorizon((price) => price, bounds, model),
    sample: ({ model }, { z }) => priceAtEnd(model, z),
    only: isDrawable,
  },
  expectedHodlValue: {
    says: ({ bounds, model }) => expectedHodlValue(bounds, model),
    quadrature: ({ bounds, model }) => meanAtHorizon((price) => hodlValue(bounds, model.price, price), bounds, model),
    sample: ({ bounds, model }, { z }) => hodlValue(bounds, model.price, priceAtEnd(model, z)),
    only: isDrawable,
  },
  'partialMoment of 0': momentProof(0),
  'partialMoment of 1/2': momentProof(0.5),
  'partialMoment of 1': momentProof(1),
  expectedPositionValue: {
    says: ({ bounds, model }) => expectedPositionValue(bounds, model),
    quadrature: ({ bounds, model }) => meanAtHorizon((price) => positionValue(bounds, price), bounds, model),
    sample: ({ bounds, model }, { z }) => positionValue(bounds, priceAtEnd(model, z)),
    only: isDrawable,
  },
  expectedIl: {
    says: ({ bounds, model }) => expectedIl(bounds, model),
    quadrature: ({ bounds, model }) =>
      meanAtHorizon((price) => impermanentLoss(bounds, model.price, price), bounds, model),
    sample: ({ bounds, model }, { z }) => impermanentLoss(bounds, model.price, priceAtEnd(model, z)),
    rare: (at) => (isDrawable(at) ? 0 : 1),
    within: 5e-11,
  },
  expectedIlOfMeans: {
    says: ({ bounds, model }) => expectedIlOfMeans(bounds, model),
    quadrature: ({ bounds, model }) =>
      meanAtHorizon((price) => loss(price, bounds, model), bounds, model) / hodl(bounds, model),
    sample: ({ bounds, model }, { z }) => loss(priceAtEnd(model, z), bounds, model) / hodl(bounds, model),
    // A difference from 1: its digits are those of 1.
    least: () => 1,
    only: isDrawable,
  },
  expectedLvr: lvrProof(({ bounds, model }) => expectedLvr(bounds, model)),
  'expectedLvr, as what holding does not lose': {
    says: ({ bounds, model }) => expectedLvr(bounds, model),
    quadrature: ({ bounds, model }) => -meanAtHorizon((price) => loss(price, bounds, model), bounds, model),
    sample: ({ bounds, model }, { z }) => -loss(priceAtEnd(model, z), bounds, model),
    only: (at) => isDrawable(at) && at.model.drift === 0,
  },
  'createOccupationTable, LVR': {
    ...lvrProof(({ bounds, model }) => createOccupationTable(model).lvr(bounds)),
    within: 1e-7,
  },
  terminalInRangeProbability: {
    says: ({ bounds, model }) => terminalInRangeProbability(bounds, model),
    quadrature: ({ bounds, model }) => meanAtHorizon((price) => Number(isWithin(price, bounds)), bounds, model),
    sample: ({ bounds, model }, { z }) => Number(isWithin(priceAtEnd(model, z), bounds)),
    rare: () => 1,
    least: () => 1,
  },
  timeInRange: timeProof(({ bounds, model }) => timeInRange(bounds, model)),
  'createOccupationTable, time': {
    ...timeProof(({ bounds, model }) => createOccupationTable(model).timeShare(bounds)),
    within: 1e-7,
  },
  'createOccupationTable, times': {
    ...timeProof(({ bounds, model }) => {
      const edges = Float64Array.of(0, bounds.lower, bounds.upper, Number.POSITIVE_INFINITY)
      return createOccupationTable(model).timeShares(edges)[1] ?? 0
    }),
    within: 1e-7,
  },
  stayInRangeProbability: {
    says: ({ bounds, model }) => stayInRangeProbability(bounds, model),
    quadrature: ({ bounds, model }) => survivalBySteps(bounds, model),
    sample: staySample,
    samples: 200,
    rare: () => 1,
    least: () => 1,
  },
  expectedExitYears: {
    says: ({ bounds, model }) => expectedExitYears(bounds, model),
    quadrature: exitByGreen,
    sample: exitSample,
    samples: 200,
    only: ({ bounds }) => bounds.lower > 0 && bounds.upper < Number.POSITIVE_INFINITY,
  },
  expectedOccupation: {
    says: ({ bounds, model }) => occupied(bounds, model, 0.4),
    quadrature: ({ bounds, model }) => {
      const { drift, from, to } = unitVolatility(bounds, model)
      return model.years * meanOverTime((years) => tiltedShare(from, to, drift, years, 0.4), model.years)
    },
    sample: ({ bounds, model }, { z, u }) => {
      const { drift, from, to } = unitVolatility(bounds, model)
      const x = drift * u * model.years + Math.sqrt(u * model.years) * z
      return x >= from && x < to ? model.years * Math.exp(0.4 * x) : 0
    },
    rare: ({ bounds, model }) => {
      const { from, to } = unitVolatility(bounds, model)
      return model.years * Math.exp(0.4 * nearest(from, to))
    },
    least: ({ model }) => 1e-9 * model.years,
  },
  occupationDensity: {
    says: ({ bounds, model }) => {
      const { drift, from, to } = unitVolatility(bounds, model)
      return occupationDensity(nearest(from, to), { drift, years: model.years, tilt: 0.4 })
    },
    quadrature: ({ bounds, model }) => {
      const { drift, from, to } = unitVolatility(bounds, model)
      const x = nearest(from, to)
      const density = (years: number): number => gauss((x - drift * years) / Math.sqrt(years)) / Math.sqrt(years)
      return Math.exp(0.4 * x) * model.years * meanOverTime(density, model.years)
    },
    sample: 'a density: samples are of its integral, expectedOccupation',
    least: () => 1e-200,
  },
  breakEvenSigma: {
    // Driven so that the mean of the root of the price stands still, a full range loses its LVR evenly.
    says: ({ model }) => 12.5 * model.sigma ** 2,
    quadrature: (at) => 100 * meanOverTime((years) => lossOfFull(at, years), at.model.years),
    sample: (at, draw) => {
      const model = evenly(at)
      return (100 * lvrRate(FULL, priceSometime(model, draw), model.sigma)) / positionValue(FULL, model.price)
    },
    only: isDrawable,
  },
}

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }

function momentProof(power: number): Proof {
  const piece = (price: number, bounds: PriceBounds): number => (isWithin(price, bounds) ? price ** power : 0)
  return {
    says: ({ bounds, model }) => partialMoment(power, bounds, model),
    quadrature: ({ bounds, model }) => meanAtHorizon((price) => piece(price, bounds), bounds, model),
    sample: ({ bounds, model }, { z }) => piece(priceAtEnd(model, z), bounds),
    rare: ({ model }) => model.price ** power,
    least: ({ model }) => 1e-6 * model.price ** power,
    only: (at) => power === 0 || isDrawable(at),
  }
}

function timeProof(says: Proof['says']): Proof {
  return {
    says,
    quadrature: ({ bounds, model }) =>
      meanOverTime((years) => partialMoment(0, bounds, { ...model, years }), model.years),
    sample: ({ bounds, model }, draw) => Number(isWithin(priceSometime(model, draw), bounds)),
    rare: () => 1,
    least: () => 1,
  }
}

/** sigma²/4·√price over the time in range. */
function lvrProof(says: Proof['says']): Proof {
  return {
    says,
    quadrature: ({ bounds, model }) => {
      const root = meanOverTime((years) => partialMoment(0.5, bounds, { ...model, years }), model.years)
      return (model.sigma ** 2 / 4) * model.years * root
    },
    sample: ({ bounds, model }, draw) => model.years * lvrRate(bounds, priceSometime(model, draw), model.sigma),
    rare: ({ model }) => model.years * lvrRate(FULL, model.price, model.sigma),
    least: ({ model }) => 1e-9 * model.years * lvrRate(FULL, model.price, model.sigma),
    only: isDrawable,
  }
}

/** What the position is worth above its tokens. */
function loss(price: number, bounds: PriceBounds, { price: entry }: PriceModel): number {
  return impermanentLoss(bounds, entry, price) * hodlValue(bounds, entry, price)
}

/** What the tokens are expected to be worth. */
function hodl(bounds: PriceBounds, model: PriceModel): number {
  return hodlValue(bounds, model.price, expectedPrice(model))
}

/** Bounds as distances from the start in a motion of unit volatility. */
function unitVolatility({ lower, upper }: PriceBounds, { price, sigma, drift }: PriceModel) {
  return {
    from: Math.log(lower / price) / sigma,
    to: Math.log(upper / price) / sigma,
    drift: drift / sigma - sigma / 2,
  }
}

function occupied(bounds: PriceBounds, model: PriceModel, tilt: number): number {
  const { drift, from, to } = unitVolatility(bounds, model)
  return expectedOccupation(from, to, { drift, years: model.years, tilt })
}

/** E[e^(tilt·x)·1{from <= x < to}] of a Brownian motion with unit volatility after some years. */
function tiltedShare(from: number, to: number, drift: number, years: number, tilt: number): number {
  const [mean, deviation] = [(drift + tilt) * years, Math.sqrt(years)]
  const share = probabilityBetween((from - mean) / deviation, (to - mean) / deviation)
  return share * Math.exp(tilt * drift * years + (tilt * tilt * years) / 2)
}

/** The bound that is nearer to the start. */
function nearest(from: number, to: number): number {
  const near = Math.abs(from) < Math.abs(to) ? from : to
  return Number.isFinite(near) ? near : 0.1
}

/** The model at the volatility that eats the case's own yield. */
function evenly({ model }: Case): PriceModel {
  const sigma = breakEvenSigma(model.sigma ** 2 / 8)
  return { ...model, sigma, drift: sigma ** 2 / 4 }
}

/** Rate of loss that a full range is expected to make after some years, as a share of its value now. */
function lossOfFull(at: Case, years: number): number {
  const model = evenly(at)
  const root = partialMoment(0.5, FULL, { ...model, years })
  return (root * lvrRate(FULL, 1, model.sigma)) / positionValue(FULL, model.price)
}
