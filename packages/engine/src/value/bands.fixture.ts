import type { PriceBand } from '@svc/amm'

/** A price that everybody agrees on, US dollars times 1e18, or a band about it. */
export function bandOf(usdE18: bigint, { eachSideBps = 0n, ...change }: BandChange = {}): PriceBand {
  const side = (usdE18 * eachSideBps) / 10_000n
  const edges = { lowE18: usdE18 - side, midE18: usdE18, highE18: usdE18 + side }
  return { ...edges, basis: 'feed', isAnchored: true, depthUsdMicros: 10n ** 13n, witnesses: [], ...change }
}

type BandChange = Partial<PriceBand> & { readonly eachSideBps?: bigint }
