/** A pool or pair as the index follows it: amounts in whole tokens, dollars by the prices of the moment. */
export type PoolRecord = {
  readonly version: 'v2' | 'v3' | 'v4'
  readonly id: string
  readonly token0: TokenRecord
  readonly token1: TokenRecord
  readonly createdAt: number
  readonly feePips: number
  readonly tickSpacing: number
  readonly hooks: string
  sqrtPriceX96: bigint
  liquidity: bigint
  tick: number
  /** Whole token0 for one token1, as subgraphs call it; 0 before the pool has a price. */
  token0Price: number
  amount0: number
  amount1: number
  volumeUsd: number
  transactions: number
  readonly hours: Map<number, PeriodRecord>
  readonly days: Map<number, PeriodRecord>
}

export type TokenRecord = {
  readonly id: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

/** An hour or a day with at least one event. */
export type PeriodRecord = {
  readonly startsAt: number
  readonly open: number
  high: number
  low: number
  close: number
  token0Price: number
  sqrtPriceX96: bigint
  liquidity: bigint
  tick: number
  amount0: number
  amount1: number
  tvlUsd: number
  volume0: number
  volume1: number
  volumeUsd: number
  transactions: number
}

/** One trade, in whole tokens without sign. */
export type Traded = { readonly amount0: number; readonly amount1: number; readonly usd: number }
