/**
 * What a v3 pool contract stores, as plain data that `applyPoolEvent` and `swapInPool` change in place: `structuredClone` keeps a moment.
 * The numbers are the contract's own: prices Q64.96, growth Q128.128 modulo 2^256, amounts in smallest units.
 */
export type PoolState = {
  /** The whole fee in millionths of the input. */
  readonly feePips: number
  readonly tickSpacing: number
  /** 0 before the pool is initialised. */
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feeGrowthGlobal0X128: bigint
  feeGrowthGlobal1X128: bigint
  /** What the protocol has not collected yet. */
  protocolFees0: bigint
  protocolFees1: bigint
  /** The protocol's part of the fee, packed as slot0 packs it: `unpackProtocolFee`. */
  feeProtocol: number
  observationIndex: number
  observationCardinality: number
  observationCardinalityNext: number
  /** As many as `observationCardinalityNext`. */
  observations: Observation[]
  /** The initialised ticks alone, in rising order; every other record of the contract, and its bit in the bitmap, is 0. */
  ticks: TickState[]
  /** By `positionKey`; a position stays, with a liquidity of 0, when all of it has been withdrawn. */
  positions: Map<string, PositionState>
}

export type TickState = {
  readonly tick: number
  readonly liquidityGross: bigint
  readonly liquidityNet: bigint
  readonly feeGrowthOutside0X128: bigint
  readonly feeGrowthOutside1X128: bigint
  readonly tickCumulativeOutside: bigint
  readonly secondsPerLiquidityOutsideX128: bigint
  readonly secondsOutside: number
}

export type PositionState = {
  readonly liquidity: bigint
  readonly feeGrowthInside0LastX128: bigint
  readonly feeGrowthInside1LastX128: bigint
  readonly tokensOwed0: bigint
  readonly tokensOwed1: bigint
}

/** A record of the price oracle; `blockTimestamp` in unix seconds. */
export type Observation = {
  readonly blockTimestamp: number
  readonly tickCumulative: bigint
  readonly secondsPerLiquidityCumulativeX128: bigint
  readonly initialized: boolean
}
