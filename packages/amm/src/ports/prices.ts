import type { Chain } from '@svc/wallet/core'

/**
 * The price of a token according to all its named sources: a band that a stranger cannot move for less than moving it would
 * earn him. US dollars for one whole token, times 1e18.
 */
export type PriceBand = {
  /** Rounded down. */
  readonly lowE18: bigint
  /** Rounded up. What limits count with. */
  readonly highE18: bigint
  /** The best single estimate within the band. */
  readonly midE18: bigint
  /**
   * What it rests on. `feed`: an aggregator that answers, or the peg of a dollar token. `pools`: means over time of named
   * pools, without a feed. `cold`: current prices alone, of pools whose past cannot be read.
   */
  readonly basis: 'feed' | 'pools' | 'cold'
  /**
   * Whether a feed, a peg, what a feed said last, or what a person expects holds it, so that pushing pools cannot have moved it far.
   */
  readonly isAnchored: boolean
  /** Sum of what the named pools held on their shallower sides throughout, in millionths of a US dollar. */
  readonly depthUsdMicros: bigint
  readonly witnesses: readonly PriceWitness[]
}

/** What one source says about a price, for people. */
export type PriceWitness = {
  /** Such as `feed 0x…`, `v3 pool 0x…`, `peg`, `seen before`. */
  readonly source: string
  /** `null` where it says nothing. */
  readonly lowE18: bigint | null
  readonly highE18: bigint | null
  /** `false` where it says nothing, or too little stands behind it. */
  readonly counts: boolean
  /** Why it does not count, or what it rests on. */
  readonly note: string
}

/**
 * Why a token has no band. `unnamed`: nobody named a source for it. `pastless`: nor can the earlier prices of its pools be read.
 * `silent`: its named sources say nothing now (a stopped feed, a pool that does not exist). `absurd`: what they say makes no
 * sense. `stale`: the price is more than five minutes old.
 */
export type PriceDoubt = 'unnamed' | 'pastless' | 'silent' | 'absurd' | 'stale'

/** Whether nobody named a source for the token. */
export function isUnnamed(doubt: PriceDoubt | null | undefined): boolean {
  return doubt === 'unnamed' || doubt === 'pastless'
}

/** Whether the doubt may go by itself: a source that is silent now, or a price that is too old. */
export function mayPass(doubt: PriceDoubt | null | undefined): boolean {
  return doubt === 'silent' || doubt === 'stale'
}

/** What the server itself has seen before: durable and bounded. */
export type PriceMemory = {
  /** What was kept of these subjects on a chain within the last day, oldest first. */
  recall(chain: Pick<Chain, 'id'>, subjects: readonly string[]): Promise<readonly Sighting[]>
  /** Keeps what was seen. Never throws and never makes the caller wait for the disk. */
  keep(chain: Pick<Chain, 'id'>, sightings: readonly Sighting[]): void
}

/** Something seen on a chain at a time. */
export type Sighting = {
  /** Such as `pool 0x…` or `token 0x…`, in lower case. */
  readonly subject: string
  /** Unix seconds of the block. */
  readonly atSeconds: number
  /** Integers by name; whoever kept them knows what they mean. */
  readonly values: Readonly<Record<string, bigint>>
}
