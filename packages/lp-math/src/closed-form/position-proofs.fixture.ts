import { type Case, priceAtEnd, type Proof } from '../proof.fixture.ts'
import { arbitrageShare, lvrRate } from './expected-il.ts'
import {
  heldPosition,
  hodlValue,
  impermanentLoss,
  lossAgainstHodl,
  positionAmounts,
  positionMinusHodl,
  positionValue,
} from './position-value.ts'
import { integrate } from './integrate.ts'
import { probabilityBetween } from './price-model.ts'
import { gauss, quadrature } from './quadrature.fixture.ts'
import { shareOfCertainPath } from './stay-in-range-probability.ts'

const ALGEBRA = 'algebra: nothing of it is random'

/** What a position is worth, loses and pays, and what else comes before an expectation. */
export const POSITIONS: Readonly<Record<string, Proof>> = {
  'positionAmounts, token0': {
    says: ({ bounds, model }) => positionAmounts(bounds, model.price).amount0,
    quadrature: ({ bounds, model }) => token0Above(bounds, model.price),
    sample: ALGEBRA,
  },
  'positionAmounts, token1': {
    says: ({ bounds, model }) => positionAmounts(bounds, model.price).amount1,
    quadrature: ({ bounds, model }) => token1Below(bounds, model.price),
    sample: ALGEBRA,
  },
  positionValue: {
    says: ({ bounds, model }) => positionValue(bounds, moved(model)),
    quadrature: ({ bounds, model }) => valueOf(bounds, moved(model), moved(model)),
    sample: ALGEBRA,
  },
  hodlValue: {
    says: ({ bounds, model }) => hodlValue(bounds, model.price, moved(model)),
    quadrature: ({ bounds, model }) => valueOf(bounds, model.price, moved(model)),
    sample: ALGEBRA,
  },
  impermanentLoss: lossProof(({ bounds, model }) => impermanentLoss(bounds, model.price, moved(model))),
  lossAgainstHodl: lossProof(({ bounds, model }) => lossAgainstHodl(bounds, model.price)(moved(model))),
  positionMinusHodl: {
    says: ({ bounds, model }) => positionMinusHodl(heldPosition(bounds, model.price), moved(model)),
    quadrature: lostOf,
    sample: ALGEBRA,
    within: 1e-9,
    least: ({ bounds, model }) => 1e-6 * valueOf(bounds, model.price, moved(model)),
  },
  lvrRate: {
    // -sigma²·P²·V''/2, with V' the token0 held: integrated over a move of the price.
    says: ({ bounds, model: { price, sigma } }) => {
      const rate = (at: number): number => (2 * lvrRate(bounds, at, sigma)) / (sigma * at) ** 2
      return quadrature(rate, pointsBetween(0.7 * price, 1.4 * price, bounds))
    },
    quadrature: ({ bounds, model: { price } }) => token0Above(bounds, 0.7 * price) - token0Above(bounds, 1.4 * price),
    sample: 'of short steps, below',
    within: 1e-10,
  },
  'lvrRate, of short steps': {
    says: ({ bounds, model: { price, sigma } }) => lvrRate(bounds, price, sigma),
    quadrature: 'of a move, above',
    // So short that none leads out of the bounds or into them.
    sample: ({ bounds, model }, { z }) => {
      const logs = [bounds.lower, bounds.upper].map((bound) => Math.abs(Math.log(bound / model.price)))
      const years = (Math.min(...logs, 1) / 20 / model.sigma) ** 2
      const price = priceAtEnd({ ...model, drift: 0, years }, z)
      return (-impermanentLoss(bounds, model.price, price) * hodlValue(bounds, model.price, price)) / years
    },
    samples: 300,
  },
  arbitrageShare: {
    says: (at) => arbitrageShare(pool(at)),
    quadrature: tradedOfStationary,
    sample: (at, { next }) => {
      // The pool's price lags the market's, until a block is mined in which the lag pays for the fee.
      const { feePips, sigma, blockSeconds } = pool(at)
      const fee = feePips / 1e6
      let [lag, isTraded] = [0, false]
      for (let block = 0; block < 60; block += 1) {
        const seconds = (blockSeconds * (next() ** 2 + next() ** 2)) / 2
        const reached = lag + sigma * Math.sqrt(seconds / (365 * 86_400)) * next()
        lag = Math.min(Math.max(reached, -fee), fee)
        isTraded = lag !== reached
      }
      return Number(isTraded)
    },
    samples: 400,
    only: ({ bounds }) => bounds.lower === 0,
  },
  shareOfCertainPath: {
    says: (at) => shareOfCertainPath(...certain(at)),
    quadrature: (at) => {
      const [from, to, move] = certain(at)
      const marks = [from / move, to / move].filter((mark) => mark > 0 && mark < 1)
      const isThere = (time: number): number => Number(move * time > from && move * time < to)
      return quadrature(
        isThere,
        [0, ...marks, 1].toSorted((a, b) => a - b),
      )
    },
    sample: (at, { u }) => {
      const [from, to, move] = certain(at)
      return Number(move * u >= from && move * u < to)
    },
    rare: () => 1,
    least: () => 1,
    only: ({ model }) => model.drift !== 0,
  },
  probabilityBetween: {
    says: (at) => probabilityBetween(...deviates(at)),
    quadrature: (at) => {
      const [from, to] = deviates(at).map((z) => Math.min(Math.max(z, -38), 38))
      const points = [from ?? 0, -5, 0, 5, to ?? 0].filter((z) => z >= (from ?? 0) && z <= (to ?? 0))
      return quadrature(
        gauss,
        points.toSorted((a, b) => a - b),
      )
    },
    sample: (at, { z }) => Number(z >= deviates(at)[0] && z < deviates(at)[1]),
    rare: () => 1,
    least: () => 1e-6,
  },
  integrate: {
    says: ({ model }) => integrate((x) => Math.exp(-x) * Math.cos(4 * x), -1, 1 + model.sigma, 4),
    quadrature: ({ model }) => quadrature((x) => Math.exp(-x) * Math.cos(4 * x), [-1, 1 + model.sigma]),
    sample: 'the product’s own quadrature',
  },
}

type Bounds = Case['bounds']

/** A price at which the position is not opened: within a deviation, often beyond a bound. */
function moved({ price, sigma, years, drift }: Case['model']): number {
  return price * Math.exp((drift < 0 ? -0.7 : 0.7) * Math.min(sigma * Math.sqrt(years), 3))
}

/** Rising prices between two, with the bounds that lie there. */
function pointsBetween(from: number, to: number, { lower, upper }: Bounds): number[] {
  return [from, ...[lower, upper].filter((bound) => bound > from && bound < to), to]
}

/** The token0 that a position sells on the way up from a price: dP/(2·P^1.5) within its bounds, over the logarithm. */
function token0Above({ lower, upper }: Bounds, price: number): number {
  const from = Math.min(Math.max(price, lower), upper)
  return quadrature((way) => 0.5 / Math.sqrt(from * Math.exp(way)), [0, Math.min(Math.log(upper / from), 80)])
}

/** The token1 that it pays out on the way down: dP/(2·√P). */
function token1Below({ lower, upper }: Bounds, price: number): number {
  const from = Math.min(Math.max(price, lower), upper)
  return quadrature((way) => 0.5 * Math.sqrt(from * Math.exp(-way)), [0, Math.min(Math.log(from / lower), 80)])
}

/** What is held at one price, at another. */
function valueOf(bounds: Bounds, heldAt: number, price: number): number {
  return token0Above(bounds, heldAt) * price + token1Below(bounds, heldAt)
}

function lossProof(says: Proof['says']): Proof {
  return {
    says,
    quadrature: (at) => lostOf(at) / valueOf(at.bounds, at.model.price, moved(at.model)),
    sample: ALGEBRA,
    within: 1e-9,
    least: () => 1e-6,
  }
}

/** A position’s value grows by the token0 it holds, that of its first tokens by what it held: the integral of the difference. */
function lostOf({ bounds, model }: Case): number {
  const [entry, end] = [model.price, moved(model)]
  const held = positionAmounts(bounds, entry).amount0
  const lost = (price: number): number => positionAmounts(bounds, price).amount0 - held
  return Math.sign(end - entry) * quadrature(lost, pointsBetween(Math.min(entry, end), Math.max(entry, end), bounds))
}

/** A pool whose fee is half, one and a half and three times what the price moves in a block. */
function pool({ model: { sigma, years } }: Case): { feePips: number; sigma: number; blockSeconds: number } {
  const moves = years < 0.01 ? 0.5 : years < 1 ? 1.5 : 3
  return { feePips: 1e6 * moves * sigma * Math.sqrt(6 / (365 * 86_400)), sigma, blockSeconds: 12 }
}

/** The share of blocks with a trade from the lag after a block: at the fee on either side where there was one, else anywhere between. */
function tradedOfStationary(at: Case): number {
  const { feePips, sigma, blockSeconds } = pool(at)
  const fee = feePips / 1e6
  const traded = arbitrageShare(pool(at))
  const scale = sigma * Math.sqrt(blockSeconds / (2 * 365 * 86_400))
  const leaves = (lag: number): number => (Math.exp((lag - fee) / scale) + Math.exp((-lag - fee) / scale)) / 2
  return traded * leaves(fee) + ((1 - traded) / (2 * fee)) * quadrature(leaves, [-fee, fee])
}

/** The two bounds and the end of the one path without volatility, as logarithms from its start. */
function certain({ bounds, model }: Case): [number, number, number] {
  const { price, drift, years } = model
  return [Math.log(bounds.lower / price), Math.log(bounds.upper / price), drift * years]
}

/** The bounds in deviations of the horizon. */
function deviates({ bounds, model }: Case): [number, number] {
  const deviation = model.sigma * Math.sqrt(model.years)
  return [Math.log(bounds.lower / model.price) / deviation, Math.log(bounds.upper / model.price) / deviation]
}
