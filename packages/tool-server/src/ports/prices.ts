import type { Chain } from '@svc/wallet/core'

/**
 * What the named sources of a token say its price is, together: a band that a stranger cannot move for less than it is
 * worth to him. US dollars for one whole token, times 1e18.
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
   * pools alone. `cold`: prices of the moment alone, of pools nothing is remembered of.
   */
  readonly basis: 'feed' | 'pools' | 'cold'
  /** Millionths of a US dollar that the named pools have held on their shallower sides throughout, in sum. */
  readonly depthUsdMicros: bigint
  readonly witnesses: readonly PriceWitness[]
}

/** One source's word on a price, for people. */
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
 * Why a token has no band: nobody named a source for it; nor can what pools say be held against what they said before
 * (`pastless`); or those named say nothing now (endpoint without the past, stopped feed, pool that does not exist), or what
 * they say makes no sense.
 */
export type PriceDoubt = 'unnamed' | 'pastless' | 'silent' | 'absurd' | 'stale'

/** Whether nobody named a source. */
export function isUnnamed(doubt: PriceDoubt | null | undefined): boolean {
  return doubt === 'unnamed' || doubt === 'pastless'
}

/** What the server itself has seen before, durable; bounded. */
export type PriceMemory = {
  /** What was kept of these subjects on a chain within the last day, oldest first. */
  recall(chain: Pick<Chain, 'id'>, subjects: readonly string[]): Promise<readonly Sighting[]>
  /** Keeps what was seen; never rejects, never waits for the disk on behalf of the caller. */
  keep(chain: Pick<Chain, 'id'>, sightings: readonly Sighting[]): void
}

/** Something seen on a chain at a time. */
export type Sighting = {
  /** Such as `pool 0x…` or `token 0x…`, in lower case. */
  readonly subject: string
  /** Unix seconds of the block. */
  readonly atSeconds: number
  /** Decimal integers by name, as whoever kept them reads them. */
  readonly values: Readonly<Record<string, bigint>>
}
