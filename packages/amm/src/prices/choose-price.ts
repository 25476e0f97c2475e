import type { UsdPrice } from '../ports.ts'
import type { PricePoint } from './price-point.ts'

export type Confidence = UsdPrice['confidence']

/** A price in US dollars and what it rests on, deepest pool first. */
export type ChosenPrice = Pick<UsdPrice, 'usd' | 'method' | 'pools' | 'liquidityUsd' | 'confidence'>

/** Pools that price a token in something whose own price is known. */
export type PriceGroup = {
  readonly points: readonly PricePoint[]
  /** Of the quote token; `pools` names the pools behind it. */
  readonly quote: Pick<ChosenPrice, 'usd' | 'method' | 'pools' | 'confidence'>
}

/**
 * The price by the deepest pool that remembers half an hour; by the deepest one's price of the moment when none does. Pools below
 * the floor have no say. Confidence is HIGH for a deep mean that the moment agrees with, LOW for any price of the moment.
 *
 * @param floorUsd least depth of a pool in US dollars
 */
export function choosePrice(groups: readonly PriceGroup[], floorUsd: number): ChosenPrice | null {
  const options = groups
    .flatMap(({ points, quote }) => points.map((point) => ({ point, quote, depthUsd: point.depth * quote.usd })))
    .filter(({ depthUsd }) => depthUsd >= floorUsd)
    .toSorted((a, b) => b.depthUsd - a.depthUsd)
  const chosen = options.find(({ point }) => point.mean !== null) ?? options[0]
  if (chosen === undefined) return null
  const { point, quote, depthUsd } = chosen
  const method = point.mean === null || quote.method === 'pool_spot' ? 'pool_spot' : 'pool_twap'
  return {
    usd: (point.mean ?? point.spot) * quote.usd,
    method,
    pools: [point.pool, ...quote.pools],
    liquidityUsd: depthUsd,
    confidence: lower(confidenceOf(point, depthUsd), quote.confidence),
  }
}

const deepUsd = 250_000
/** How far the moment may be from the mean: for HIGH, and for MODERATE. */
const agrees = 0.02
const strays = 0.1

function confidenceOf(point: PricePoint, depthUsd: number): Confidence {
  if (point.mean === null) return 'LOW'
  const gap = Math.abs(point.spot / point.mean - 1)
  if (gap <= agrees && depthUsd >= deepUsd) return 'HIGH'
  return gap <= strays ? 'MODERATE' : 'LOW'
}

function lower(a: Confidence, b: Confidence): Confidence {
  return ladder.indexOf(a) < ladder.indexOf(b) ? a : b
}

const ladder: readonly Confidence[] = ['LOW', 'MODERATE', 'HIGH']
