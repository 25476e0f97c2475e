import type { ExactPrice, PriceDoubt } from '../../ports.ts'
import { throughQuote } from './fixed-price.ts'
import type { PricePoint } from './price-point.ts'

/** What is known of a token's price: its pools, grouped by a quote token with a trusted price, and a feed or a peg. */
export type PriceEvidence = {
  readonly groups: readonly { readonly points: readonly PricePoint[]; readonly quote: QuoteWorth }[]
  /** Answer of the aggregator that the chain's row names, US dollars times 1e18; `null` without one or with a stale one. */
  readonly feedE18: bigint | null
  readonly isPeg: boolean
}

export type QuoteWorth = {
  /** For reports and for the floor. */
  readonly usd: number
  /** `null` when it is not trusted; pools against it then are no source. */
  readonly usdE18: bigint | null
}

/**
 * The price that limits count with, in integers. Sources are the peg, the mean of every v3 pool and v2 pair above the floor,
 * and the feed; beside a feed alone, the deepest pool's price of the moment. One mean or peg is enough, of the others it
 * takes two. All must agree within 5 percent, and the dearest counts, so that a spend is never taken for less.
 *
 * @param floorUsd least depth of a pool in US dollars
 */
export function combinePrices(evidence: PriceEvidence, floorUsd: number): CombinedPrice {
  const deepest = deepestFirst(evidence, floorUsd)
  const sources: Source[] = []
  if (evidence.isPeg) sources.push({ kind: 'peg', usdE18: 10n ** 18n })
  for (const { point, quoteE18 } of evidence.isPeg ? [] : deepest) {
    if (point.meanE18 === null) continue
    sources.push({ kind: `${point.version}_twap`, usdE18: throughQuote(point.meanE18, quoteE18) })
  }
  const { feedE18 } = evidence
  const [spot] = deepest
  if (feedE18 !== null && sources.length === 0 && spot !== undefined) {
    sources.push({ kind: 'pool_spot', usdE18: throughQuote(spot.point.spotE18, spot.quoteE18) })
  }
  if (feedE18 !== null) sources.push({ kind: 'feed', usdE18: feedE18 })
  return judge(sources)
}

export type CombinedPrice =
  | { readonly exact: ExactPrice; readonly doubt: null }
  | { readonly exact: null; readonly doubt: PriceDoubt }

type Source = { readonly kind: ExactPrice['sources'][number]; readonly usdE18: bigint }

function judge(sources: readonly Source[]): CombinedPrice {
  const kinds = [...new Set(sources.map(({ kind }) => kind))]
  if (kinds.length === 0) return { exact: null, doubt: 'missing' }
  if (kinds.length === 1 && kinds[0] === 'feed') return { exact: null, doubt: 'single' }
  const prices = sources.map(({ usdE18 }) => usdE18)
  const least = prices.reduce((low, price) => (price < low ? price : low))
  const most = prices.reduce((high, price) => (price > high ? price : high))
  if (least <= 0n || most > absurdE18) return { exact: null, doubt: 'absurd' }
  if ((most - least) * 100n > least * agreementPct) return { exact: null, doubt: 'disagreement' }
  return { exact: { usdE18: most, sources: kinds }, doubt: null }
}

const agreementPct = 5n
/** No token is worth a billion dollars apiece; what says so is broken or lying. */
const absurdE18 = 10n ** 27n

function deepestFirst({ groups }: PriceEvidence, floorUsd: number) {
  return groups
    .flatMap(({ points, quote }) => points.map((point) => ({ point, quote, depthUsd: point.depth * quote.usd })))
    .flatMap(({ point, quote: { usdE18 }, depthUsd }) =>
      usdE18 === null || !(depthUsd >= floorUsd) ? [] : [{ point, quoteE18: usdE18, depthUsd }],
    )
    .toSorted((a, b) => b.depthUsd - a.depthUsd)
}
