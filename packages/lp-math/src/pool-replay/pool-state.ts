import { requirePoolFeePips } from '../lp-math-error.ts'
import { requireTickSpacing } from '../ticks/ticks.ts'

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
  /** 0 keeps no records. */
  observationCardinality: number
  observationCardinalityNext: number
  /** As many as `observationCardinalityNext`. */
  observations: Observation[]
  /** The initialised ticks alone, in rising order; every other record of the contract, and its bit in the bitmap, is 0. */
  ticks: TickState[]
  /** By `positionKey`; a position stays, with a liquidity of 0, when all of it has been withdrawn. */
  positions: Map<string, PositionState>
}

/** What the record of an initialised tick holds in v3 and in v4. */
export type TickRecord = {
  readonly tick: number
  readonly liquidityGross: bigint
  readonly liquidityNet: bigint
  readonly feeGrowthOutside0X128: bigint
  readonly feeGrowthOutside1X128: bigint
}

/** The record of an initialised tick in a v3 pool. */
export type TickState = TickRecord & {
  readonly tickCumulativeOutside: bigint
  readonly secondsPerLiquidityOutsideX128: bigint
  readonly secondsOutside: number
}

/** The record of a position in a v3 pool. */
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

/**
 * A pool as its factory creates it, before its Initialize event. A state read from the chain's storage will do as a start as well.
 * `feePips` in millionths.
 * @throws LpMathError `FEE_OUT_OF_RANGE`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function createPoolState(options: { readonly feePips: number; readonly tickSpacing: number }): PoolState {
  const { feePips, tickSpacing } = options
  requirePoolFeePips(feePips)
  requireTickSpacing(tickSpacing)
  return {
    feePips,
    tickSpacing,
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFees0: 0n,
    protocolFees1: 0n,
    feeProtocol: 0,
    observationIndex: 0,
    observationCardinality: 0,
    observationCardinalityNext: 0,
    observations: [],
    ticks: [],
    positions: new Map(),
  }
}

/** The record of an initialised tick, or null. */
export function findTick<Tick extends TickRecord>(
  state: { readonly ticks: readonly Tick[] },
  tick: number,
): Tick | null {
  const found = state.ticks[tickIndex(state.ticks, tick)]
  return found?.tick === tick ? found : null
}

/** Puts a tick's record in its place; one without liquidity is cleared, as the contract clears it. */
export function storeTick<Tick extends TickRecord>(state: { readonly ticks: Tick[] }, record: Tick): void {
  const index = tickIndex(state.ticks, record.tick)
  const isThere = state.ticks[index]?.tick === record.tick
  if (record.liquidityGross > 0n) state.ticks.splice(index, isThere ? 1 : 0, record)
  else if (isThere) state.ticks.splice(index, 1)
}

/** Where a tick stands in a sorted list, or would stand. */
function tickIndex(ticks: readonly TickRecord[], tick: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle]?.tick ?? Number.POSITIVE_INFINITY) < tick) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Writes the oracle's record before the tick or the active liquidity changes, at most one per time (unix seconds). A state made by hand
 * without records (`observationCardinality` 0), which no initialised pool has, stays without.
 * Source: Oracle of v3-core, `write`.
 */
export function writeObservation(state: PoolState, timestamp: number): void {
  const { observationIndex: index, observationCardinality: cardinality } = state
  if (cardinality === 0 || state.observations[index]?.blockTimestamp === timestamp) return
  const isFull = index === cardinality - 1
  if (isFull && state.observationCardinalityNext > cardinality) {
    state.observationCardinality = state.observationCardinalityNext
  }
  const observation = currentObservation(state, timestamp)
  state.observationIndex = (index + 1) % state.observationCardinality
  state.observations[state.observationIndex] = observation
}

/**
 * What the oracle of a pool would write down at a time (unix seconds), with the tick and liquidity that held since its last record.
 * Source: Oracle of v3-core, `observeSingle` and `transform`; cumulative values wrap as there.
 */
export function currentObservation(state: PoolState, timestamp: number): Observation {
  const last = state.observations[state.observationIndex] ?? empty
  if (last.blockTimestamp === timestamp) return last
  const elapsed = BigInt((timestamp - last.blockTimestamp) >>> 0)
  const perLiquidity = (elapsed << 128n) / (state.liquidity > 0n ? state.liquidity : 1n)
  return {
    blockTimestamp: timestamp,
    tickCumulative: BigInt.asIntN(56, last.tickCumulative + BigInt(state.tick) * elapsed),
    secondsPerLiquidityCumulativeX128: BigInt.asUintN(160, last.secondsPerLiquidityCumulativeX128 + perLiquidity),
    initialized: true,
  }
}

const empty: Observation = {
  blockTimestamp: 0,
  tickCumulative: 0n,
  secondsPerLiquidityCumulativeX128: 0n,
  initialized: false,
}
