import type { UsdFeed } from '@svc/wallet/core'
import type { Hex } from 'viem'
import type { PriceBand } from '../../ports.ts'
import type { FeedReading } from './feed-witness.ts'
import type { PoolMean } from './pool-mean.ts'
import type { PoolRow } from './pool-reading.ts'
import type { PoolEvidence } from './price-witnesses.ts'
import type { PriceEvidence } from './price-band.ts'

/** Dollars to the millionth, times 1e18. */
export function usd(dollars: number): bigint {
  return BigInt(Math.round(dollars * 1e6)) * 10n ** 12n
}

/** A feed of eight decimals with a heartbeat of an hour. */
export function feedOf(dollars: number, updatedAt: number, change: Partial<UsdFeed> = {}): FeedReading {
  const row: UsdFeed = {
    address: '0x000000000000000000000000000000000000feed',
    heartbeatSeconds: 3_600,
    deviationBps: 50,
    decimals: 8,
    ...change,
  }
  const answer = BigInt(Math.round(dollars * 1e8))
  return { row, decimals: row.decimals, round: { answer, updatedAt: BigInt(updatedAt) } }
}

export function rowOf(n: number, version: PoolRow['version'] = 'v3', fee = 3_000): PoolRow {
  return { version, id: idOf(n), fee }
}

export function idOf(n: number): Hex {
  return `0x${String(n).padStart(40, '0')}`
}

export function meanOf(dollars: number, change: Partial<PoolMean> = {}): PoolMean {
  const priceE18 = usd(dollars)
  const range = { lowE18: priceE18, highE18: priceE18, midE18: priceE18 }
  return { ...range, seconds: 1_800, liquidity: 1n, leastLiquidity: 1n, from: 'its own oracle', ...change }
}

/** A pool against a dollar that is worth one, a million deep, whose mean and moment are at a price. */
export function poolAt(n: number, dollars: number, change: PoolChange = {}): PoolEvidence {
  const {
    spot = dollars,
    depthUsd = 1_000_000,
    leastDepthUsd = depthUsd,
    mean = dollars,
    fee = 3_000,
    quote = bandAt(1),
    before = [],
  } = change
  return {
    row: rowOf(n, 'v3', fee),
    mean: mean === null ? null : meanOf(mean),
    spot: { lowE18: usd(spot), highE18: usd(spot) },
    depth: { tokenSide: depthUsd, quoteSide: depthUsd },
    leastDepth: { tokenSide: leastDepthUsd, quoteSide: leastDepthUsd },
    before,
    quote: { band: quote, silent: null },
  }
}

type PoolChange = {
  readonly spot?: number
  readonly mean?: number | null
  readonly depthUsd?: number
  readonly leastDepthUsd?: number
  readonly before?: PoolEvidence['before']
  readonly fee?: number
  readonly quote?: PriceBand
}

export function bandAt(low: number, high = low, change: Partial<PriceBand> = {}): PriceBand {
  const edges = { lowE18: usd(low), highE18: usd(high), midE18: usd((low + high) / 2) }
  return { ...edges, basis: 'feed', isAnchored: true, depthUsdMicros: 0n, witnesses: [], ...change }
}

/** Nothing but what is given, at `evidenceTime`. */
export function evidenceOf(change: Partial<PriceEvidence> = {}): PriceEvidence {
  const nothing = {
    usdPegged: false,
    feed: null,
    expected: null,
    sequencer: null,
    pools: [],
    seen: [],
    pushBudgetUsd: 200,
  }
  return { atSeconds: evidenceTime, ...nothing, ...change }
}

export const evidenceTime = 1_800_000_000
