import type { PoolState } from '@svc/lp-math'
import type { Hex } from 'viem'
import type { PairState } from './sim-pair.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'

/** A pool of the simulated chain, changed in place; `clonePool` keeps a moment. */
export type SimPool = {
  readonly id: Hex
  /** How programs name it: `weth-usdc-v3-500`, or `own-0` for the attacker's first. */
  readonly name: string
  readonly token0: SimToken
  readonly token1: SimToken
  /** Millionths of the input. */
  readonly fee: number
  /** The states of past blocks, oldest first: one for each block that changed the pool. */
  readonly past: PastState[]
} & (
  | { readonly version: 'v2'; readonly pair: PairState }
  | { readonly version: 'v3' | 'v4'; readonly state: PoolState }
)

/** What a pool was at the end of a block. */
export type PastState = {
  readonly block: number
  /** This and the next two are 0 for v2, where they follow from the reserves. */
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Since when the rest holds: of the last record of the oracle, or of the last update of the pair. */
  readonly writtenAt: number
  readonly tickCumulative: bigint
  readonly secondsPerLiquidityCumulativeX128: bigint
  /** v2 alone. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly price0Cumulative: bigint
  readonly price1Cumulative: bigint
}

export function clonePool(pool: SimPool): SimPool {
  const past = [...pool.past]
  if (pool.version === 'v2') return { ...pool, past, pair: { ...pool.pair, shares: new Map(pool.pair.shares) } }
  const { state } = pool
  const copied = {
    ...state,
    observations: [...state.observations],
    ticks: [...state.ticks],
    positions: new Map(state.positions),
  }
  return { ...pool, past, state: copied }
}

/** Token1 for one unit of token0, in smallest units. */
export function rawPriceOf(pool: SimPool): number {
  if (pool.version === 'v2') return Number(pool.pair.reserve1) / Number(pool.pair.reserve0)
  return (Number(pool.state.sqrtPriceX96) / 2 ** 96) ** 2
}

/** Token1 for one unit of token0 in smallest units, at prices of whole tokens. */
export function rawPriceAt(pool: Pick<SimPool, 'token0' | 'token1'>, price0: number, price1: number): number {
  return (price0 / price1) * 10 ** (pool.token1.decimals - pool.token0.decimals)
}

export function sqrtPriceOfRaw(raw: number): bigint {
  return BigInt(Math.floor(Math.sqrt(raw) * 2 ** 96))
}

/** The token that goes into a swap, and the one that comes out. */
export function sidesOf(pool: SimPool, zeroForOne: boolean): readonly [SimToken, SimToken] {
  return zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
}
