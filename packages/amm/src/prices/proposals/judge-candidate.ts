import { depthOf, type PoolCandidate } from './read-candidates.ts'
import type { PoolRecord } from './read-pool-record.ts'

/** Why a pool cannot be a source; `null` where it can. */
export function doubtOfQuote({ quote: { symbol, restsOnToken } }: PoolCandidate): string | null {
  return restsOnToken ? `the price of ${symbol} comes from that of this token, and from no feed` : null
}

/** Why a pool should not be named as a source, in a sentence; `null` where nothing speaks against it. */
export function doubtOfDepth(candidate: PoolCandidate): string | null {
  const depth = depthOf(candidate)
  if (depth >= leastDepthUsd) return null
  const { tokenSide, quoteSide } = candidate.depthUsd
  const shallow = tokenSide < quoteSide ? 'of the token' : `of ${candidate.quote.symbol}`
  return `it is thin: ${dollars(depth)} USD ${shallow} within 20 % of its price, and ${dollars(leastDepthUsd)} are needed on each side`
}

/** The same of what it did in the last week. */
export function doubtOfRecord({ isWeekOld, volume7dUsd }: PoolRecord): string | null {
  if (isWeekOld === false) return 'it is younger than a week'
  if (isWeekOld === null) {
    return 'its age is not known: the endpoint gives neither the logs nor the state of a week ago'
  }
  return volume7dUsd === 0 ? 'nothing was traded in it for a week, so nobody keeps its price' : null
}

/** The same of its price, held against what a feed or the deepest of the pools says. */
export function doubtOfPrice({ usd }: PoolCandidate, reference: PriceReference | null): string | null {
  if (reference === null) return null
  const off = usd / reference.usd - 1
  if (Math.abs(off) <= mostOffShare) return null
  return `its price is ${(off * 100).toFixed(1)} % off that of ${reference.source}`
}

export type PriceReference = { readonly source: string; readonly usd: number }

/** What moves a pool and back costs the fees on; below it a modest purse says what a token is worth. */
export const leastDepthUsd = 100_000
/** Further apart than honest sources are; a named pool that dissents widens the band. */
const mostOffShare = 0.02

function dollars(usd: number): string {
  return Math.round(usd).toLocaleString('en-US')
}
