import type { Asset } from '../seed/token-specs.ts'

/** The price feeds of the local chain, in order of deployment. The sequencer's uptime feed follows them. */
export const feedSpecs = [
  { symbol: 'ETH', asset: 'ETH', deviationBps: 50 },
  { symbol: 'BTC', asset: 'WBTC', deviationBps: 50 },
  { symbol: 'USDC', asset: 'USDC', deviationBps: 25 },
  { symbol: 'USDT', asset: 'USDT', deviationBps: 25 },
  { symbol: 'DAI', asset: 'DAI', deviationBps: 25 },
] as const satisfies readonly FeedSpec[]

export type FeedSymbol = (typeof feedSpecs)[number]['symbol']

export type FeedSpec = {
  /** As in the feed's description, such as `ETH / USD`. */
  readonly symbol: string
  /** Whose market price it answers. */
  readonly asset: Asset
  /** It answers anew once the market is this far from its last answer. */
  readonly deviationBps: number
}

export const feedDecimals = 8

/**
 * For every feed, dollars and majors alike. Feeds of majors on public chains answer at least hourly, but nobody posts on a local
 * chain that stands still: with an hour, its prices would be stale after a quiet one. A day is longer than a test or a demo waits.
 */
export const feedHeartbeatSeconds = 86_400

/** The feeder's own patience: its chances to post, blocks of the history, are up to 75 minutes apart. */
export const feedRenewalSeconds = feedHeartbeatSeconds - 2 * 3_600

/** How long after an outage of the sequencer feeds are not believed. */
export const sequencerGraceSeconds = 3_600

/** What a feed says of the price of an asset: dollars times 10^8. */
export function toFeedAnswer(usd: number): bigint {
  return BigInt(Math.round(usd * 10 ** feedDecimals))
}
