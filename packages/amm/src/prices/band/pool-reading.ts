import type { ReferencePool } from '@svc/wallet/core'
import type { PriceSide } from './price-range.ts'

/** Everything that is known of a pool's price, before it is judged. */
export type PoolReading = {
  readonly row: PoolRow
  /** The token the price is in, as readings are keyed: its address in lower case, the wrapped one for native currency. */
  readonly quoteKey: string
  readonly side: PriceSide
  /** Why its row is not believed, so that nothing is read of it; else `null`. */
  readonly fault: string | null
  /** At the head; `null` where no such pool stands, or it has no price. */
  readonly now: PoolSnapshot | null
  /** Smallest units that the pool really holds now; `null` where no contract tells it, as in v4. */
  readonly held: { readonly token: bigint; readonly quote: bigint } | null
  /** v3: what the pool's own oracle remembers of earlier times; empty where that does not reach back. */
  readonly observed: readonly PoolSample[]
  /** v3: single seconds of the last half hour that nobody could know beforehand; empty where the oracle does not reach back. */
  readonly recalled: readonly RecalledMoment[]
  /** At older blocks, of which the endpoint has the state. */
  readonly older: readonly PoolSnapshot[]
  /** What this server saw at other times. */
  readonly seen: readonly PoolSnapshot[]
}

/** Which pool, and what it takes of what goes in, in hundredths of a basis point. */
export type PoolRow = Pick<ReferencePool, 'version' | 'id' | 'fee' | 'tickSpacing'>

/** A pool at the end of a block. */
export type PoolSnapshot = {
  /** Unix seconds of the block. */
  readonly atSeconds: number
  /** Not 0. In v2 the square root of the ratio of the reserves. */
  readonly sqrtPriceX96: bigint
  /** In range; in v2 the square root of the product of the reserves. */
  readonly liquidity: bigint
  /** `null` in v4, whose pools sum nothing up. */
  readonly sums: PoolSums | null
}

/** The tick in a second that is past, and what was in range then. */
export type RecalledMoment = { readonly atSeconds: number; readonly tick: number; readonly liquidity: bigint }

/** What a pool had summed up over time by then. */
export type PoolSample = { readonly atSeconds: number; readonly sums: PoolSums }

export type PoolSums = TickSums | PriceSums

/** v3 `observe`: ticks by seconds, and seconds times 2^128 by liquidity, modulo 2^160. */
export type TickSums = { readonly kind: 'ticks'; readonly tick: bigint; readonly perLiquidityX128: bigint }

/** v2: prices times 2^112 by seconds, modulo 2^256, brought forward to the time of the block. */
export type PriceSums = { readonly kind: 'prices'; readonly price0X112: bigint; readonly price1X112: bigint }
