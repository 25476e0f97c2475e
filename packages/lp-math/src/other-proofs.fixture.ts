import { createOccupationTable, timeInRange } from './closed-form/occupation.ts'
import { lvrRate, normalDensity } from './closed-form/expected-il.ts'
import { partialMoment, type PriceBounds, type PriceModel } from './closed-form/price-model.ts'
import { gauss, meanOverTime, quadrature } from './closed-form/quadrature.fixture.ts'
import { createFeeModel, type FeeModel, type YearlyFees, type LiquidityProfile } from './fee-model/fee-model.ts'
import { erfc, expOfSquare, normalCdf, scaledErfc, inverseNormalCdf } from './normal/normal.ts'
import { type Case, type Draw, isDrawable, isWithin, priceSometime, type Proof } from './proof.fixture.ts'
import { ewmaSigma, impliedSigma, realisedSigma } from './volatility/volatility.ts'

/** The normal distribution, volatility, and fees over the time at each price. */
export const OTHERS: Readonly<Record<string, Proof>> = {
  normalDensity: {
    says: (at) => normalDensity(deviate(at)),
    quadrature: (at) => gauss(0) - quadrature((z) => z * normalDensity(z), [0, deviate(at)]),
    sample: 'a density: samples are of its integral, normalCdf',
    least: () => 1,
  },
  normalCdf: {
    says: (at) => normalCdf(deviate(at)),
    quadrature: (at) => quadrature(gauss, [-38, -9, -6, deviate(at)]),
    sample: (at, { z }) => Number(z < deviate(at)),
    rare: () => 1,
  },
  inverseNormalCdf: {
    says: probability,
    quadrature: (at) => 0.5 + quadrature(gauss, [0, inverseNormalCdf(probability(at))]),
    sample: (at, { z }) => Number(z < inverseNormalCdf(probability(at))),
    rare: () => 1,
  },
  erfc: {
    says: (at) => erfc(deviate(at)),
    quadrature: (at) => quadrature((t) => (2 / Math.sqrt(Math.PI)) * Math.exp(-t * t), [deviate(at), 6, 27]),
    sample: (at, { z }) => 2 * Number(z > deviate(at) * Math.SQRT2),
    rare: () => 2,
  },
  scaledErfc: {
    says: (at) => scaledErfc(deviate(at)),
    // e^(x²)·e^(-(x + t)²), whose exponents are taken together.
    quadrature: (at) =>
      quadrature((t) => (2 / Math.sqrt(Math.PI)) * Math.exp(-2 * t * deviate(at) - t * t), [0, 1, 3, 9, 27]),
    sample: (at, { z }) => 2 * expOfSquare(deviate(at)) * Number(z > deviate(at) * Math.SQRT2),
    rare: (at) => 2 * expOfSquare(deviate(at)),
  },
  expOfSquare: {
    says: (at) => expOfSquare(deviate(at)),
    quadrature: (at) => 1 + quadrature((x) => 2 * x * Math.exp(x * x), [0, deviate(at)]),
    sample: 'algebra: nothing of it is random',
  },
  impliedSigma: {
    // Driven so that the mean of the root of the price stands still, all liquidity loses evenly what its fees bring.
    says: ({ model }) => 365 * FEE * traded(model),
    quadrature: ({ model }) => {
      const paying = { ...model, sigma: impliedBy(model), drift: impliedBy(model) ** 2 / 4 }
      const root = (years: number): number => partialMoment(0.5, FULL, { ...paying, years })
      return lvrRate(FULL, 1, paying.sigma) * meanOverTime(root, model.years)
    },
    sample: ({ model }, draw) => {
      const sigma = impliedBy(model)
      return lvrRate(FULL, priceSometime({ ...model, sigma, drift: sigma ** 2 / 4 }, draw), sigma)
    },
    only: isDrawable,
  },
  ewmaSigma: sigmaProof(({ sigma }, next) => ewmaSigma(closes(sigma, sigma ** 2 / 2, next), HOURS)),
  realisedSigma: sigmaProof(({ sigma, drift }, next) => realisedSigma(closes(sigma, 50 * drift, next), HOURS)),
  'createFeeModel, liquidity': feeProof(
    ({ fees }) => fees.meanLiquidity,
    (there) => there,
    false,
  ),
  'createFeeModel, diluted': feeProof(
    ({ fees, earned }) => earned.diluted * fees.meanLiquidity,
    (there) => (365 * OWN * there) / (there + OWN),
    true,
  ),
  'createFeeModel, undiluted': feeProof(
    ({ fees, earned }) => earned.undiluted * fees.meanLiquidity,
    (there) => 365 * OWN * Number(there > 0),
    true,
  ),
  'createFeeModel, steady': feeProof(
    ({ earned, covered }) => earned.steady * covered,
    (there) => (there > 0 ? (365 * OWN) / (there + OWN) : 0),
    true,
  ),
}

/** What has nothing to integrate and nothing to draw. */
export const NO_CLOSED_FORMS: Readonly<Record<string, string>> = {
  logReturn: 'the model itself',
  priceFan: 'quantiles of the model itself, held against their formula in price-fan.test.ts',
  amountsAt: 'positionAmounts, of bounds that are checked',
  heldPosition: 'what positionMinusHodl is told',
  occupationPieces: 'where an integral is cut',
  ownLiquidity: 'a quotient by positionValue',
  liquidityProfile: 'sums of whole numbers',
  bandAt: 'a search',
  barsPerYear: 'a quotient',
  blendVolatility: 'a weighted mean, held against six synthetic markets in volatility.test.ts',
  classifyVolatility: 'names',
  feePace: 'means of sums, and their error',
  paceError: 'a quotient',
  ewmaStandardError: 'an error, held against the scatter of 400 paths in volatility.test.ts',
  logReturns: 'differences',
  driftVariance: 'a bound',
  mostMemoryWeight: 'a bound',
  mostLogDistance: 'a bound',
  studentDeviate: 'a bound, held against tables in normal.test.ts',
}

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }
const FEE = 0.003
const OWN = 30
const HOURS = { barSeconds: 3600 }

/** A bound of the case in deviations, or thereabouts. */
function deviate({ bounds, model }: Case): number {
  const bound = bounds.lower > 0 ? bounds.lower : Math.min(bounds.upper, model.price * 1.1)
  return Math.min(Math.max(Math.log(bound / model.price) / (model.sigma * Math.sqrt(model.years)), -5), 5)
}

function probability(at: Case): number {
  return 0.5 + 0.4999 * Math.tanh(2 * deviate(at))
}

/** What a pool of liquidity 1 trades in a day to earn what it loses at the volatility of the case. */
function traded({ price, sigma }: PriceModel): number {
  return (sigma ** 2 * Math.sqrt(price)) / (4 * 365 * FEE)
}

function impliedBy(model: PriceModel): number {
  return impliedSigma({ feePips: FEE * 1e6, dailyVolumeUsd: traded(model), tickTvlUsd: Math.sqrt(model.price) * FEE })
}

/** A statistic whose square is meant to be, on average, that of the volatility. */
function sigmaProof(statistic: (model: PriceModel, next: Draw['next']) => number): Proof {
  return {
    says: ({ model }) => model.sigma ** 2,
    quadrature: 'a statistic of prices that were seen',
    sample: ({ model }, { next }) => statistic(model, next) ** 2,
    samples: 200,
    only: ({ bounds }) => bounds.lower === 0,
  }
}

/** Of 24 hours. */
function closes(sigma: number, drift: number, next: Draw['next']): number[] {
  let log = 0
  const step = (): number => (drift - sigma ** 2 / 2) / 8760 + (sigma / Math.sqrt(8760)) * next()
  return Array.from({ length: 25 }, () => Math.exp((log += step())))
}

/** Something of the liquidity that is active, over the time that the price spends at each and, where told, in the range. */
function feeProof(says: (of: Fees) => number, ofLiquidity: (there: number) => number, isOfRange: boolean): Proof {
  const within = ({ bounds }: Case): PriceBounds => (isOfRange ? bounds : FULL)
  return {
    says: (at) => says(feesOf(at)),
    quadrature: (at) => {
      const { edges, liquidity } = profileOf(at)
      const bands = [...liquidity].map((there, band) => ({
        lower: Math.max(edges[band]!, within(at).lower),
        upper: Math.min(edges[band + 1]!, within(at).upper),
        worth: ofLiquidity(there),
      }))
      const held = bands.filter(({ lower, upper, worth }) => lower < upper && worth > 0)
      return meanOverTime(
        (years) => held.reduce((sum, band) => sum + band.worth * partialMoment(0, band, { ...at.model, years }), 0),
        at.model.years,
      )
    },
    sample: (at, draw) => {
      const price = priceSometime(at.model, draw)
      const { edges, liquidity } = profileOf(at)
      return isWithin(price, within(at)) ? ofLiquidity(liquidity[edges.findLastIndex((edge) => edge <= price)]!) : 0
    },
    within: 1e-6,
    least: () => ofLiquidity(20),
    rare: () => ofLiquidity(90),
    only: ({ model }) => model.sigma === 0.8,
  }
}

type Fees = { readonly fees: FeeModel; readonly earned: YearlyFees; readonly covered: number }

function feesOf(at: Case): Fees {
  const [profile, occupation] = [profileOf(at), createOccupationTable(at.model)]
  const fees = createFeeModel({ profile, feesPerDay: 1, occupation })
  const empty = { lower: profile.edges[2]!, upper: profile.edges[3]! }
  return { fees, earned: fees.feesPerYear(at.bounds, OWN), covered: 1 - timeInRange(empty, at.model) }
}

/** Bands about the price, one of them empty. */
function profileOf({ model }: Case): LiquidityProfile {
  const edge = (deviations: number): number => model.price * Math.exp(deviations * model.sigma * Math.sqrt(model.years))
  return {
    edges: Float64Array.of(0, edge(-2), edge(-0.5), edge(-0.2), edge(1), Number.POSITIVE_INFINITY),
    liquidity: Float64Array.of(5, 90, 0, 20, 0.3),
  }
}
