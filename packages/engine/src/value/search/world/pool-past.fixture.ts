import { getTickAtSqrtPrice, integerSqrt, type Observation, type PoolState } from '@svc/lp-math'
import type { PastState, SimPool } from './sim-pool.fixture.ts'

/** What an endpoint reads of a pool at a block: prices of the moment, and what has been summed up until then. */
export type PoolReading = {
  readonly block: number
  readonly timestamp: number
  readonly sqrtPriceX96: bigint
  readonly tick: number
  /** In range; for v2 the square root of the product of the reserves. */
  readonly liquidity: bigint
  /** v3, as `observe([0])` tells it at the block; 0 in v2, and no contract tells it in v4. */
  readonly tickCumulative: bigint
  readonly secondsPerLiquidityCumulativeX128: bigint
  /** v2, as stored at its last update, `updatedAt`. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly price0Cumulative: bigint
  readonly price1Cumulative: bigint
  readonly updatedAt: number
}

/** Keeps what the pool is at the end of a block, once for each block; states older than `oldest` are let go but for one. */
export function keepPast(pool: SimPool, block: number, oldest: number): void {
  const state = pool.version === 'v2' ? pastOfPair(pool, block) : pastOfTicks(pool.state, block)
  if (pool.past.at(-1)?.block === block) pool.past.pop()
  pool.past.push(state)
  const kept = pool.past.findLastIndex((past) => past.block <= oldest)
  if (kept > 64) pool.past.splice(0, kept)
}

/** `null` where the pool did not exist, or the block is older than what is kept. */
export function readPast(pool: SimPool, block: number, timestamp: number): PoolReading | null {
  const past = pool.past.findLast((state) => state.block <= block)
  if (past === undefined) return null
  const elapsed = BigInt(timestamp - past.writtenAt)
  const perLiquidity = (elapsed << 128n) / (past.liquidity > 0n ? past.liquidity : 1n)
  return {
    ...past,
    ...(pool.version === 'v2' ? priceOfReserves(past) : {}),
    block,
    timestamp,
    updatedAt: past.writtenAt,
    tickCumulative: past.tickCumulative + BigInt(past.tick) * elapsed,
    secondsPerLiquidityCumulativeX128: BigInt.asUintN(160, past.secondsPerLiquidityCumulativeX128 + perLiquidity),
  }
}

/** As the contract's `observe` answers at a time; `null` where its oldest record is younger. */
export function observe(state: PoolState, timestamp: number, secondsAgo: number): OracleReading | null {
  const target = timestamp - secondsAgo
  const records = recordsOf(state)
  const after = records.findIndex(({ blockTimestamp }) => blockTimestamp >= target)
  const later = records[after]
  if (later?.blockTimestamp === target) return readingOf(later)
  if (after === -1) {
    const last = records.at(-1)
    return last === undefined ? null : extrapolated(state, last, target)
  }
  const earlier = records[after - 1]
  return later === undefined || earlier === undefined ? null : between(earlier, later, target)
}

export type OracleReading = {
  readonly tickCumulative: bigint
  readonly secondsPerLiquidityCumulativeX128: bigint
}

/** The records that are written, oldest first. */
function recordsOf({ observations, observationIndex, observationCardinality }: PoolState): readonly Observation[] {
  const ring = observations.slice(0, observationCardinality)
  return [...ring.slice(observationIndex + 1), ...ring.slice(0, observationIndex + 1)].filter((it) => it.initialized)
}

function extrapolated(state: PoolState, last: Observation, target: number): OracleReading {
  const elapsed = BigInt(target - last.blockTimestamp)
  const perLiquidity = (elapsed << 128n) / (state.liquidity > 0n ? state.liquidity : 1n)
  return {
    tickCumulative: last.tickCumulative + BigInt(state.tick) * elapsed,
    secondsPerLiquidityCumulativeX128: last.secondsPerLiquidityCumulativeX128 + perLiquidity,
  }
}

/** Source: Oracle of v3-core, `observeSingle`. */
function between(earlier: Observation, later: Observation, target: number): OracleReading {
  const whole = BigInt(later.blockTimestamp - earlier.blockTimestamp)
  const part = BigInt(target - earlier.blockTimestamp)
  const perLiquidity = later.secondsPerLiquidityCumulativeX128 - earlier.secondsPerLiquidityCumulativeX128
  return {
    tickCumulative: earlier.tickCumulative + ((later.tickCumulative - earlier.tickCumulative) / whole) * part,
    secondsPerLiquidityCumulativeX128: earlier.secondsPerLiquidityCumulativeX128 + (perLiquidity * part) / whole,
  }
}

function readingOf({ tickCumulative, secondsPerLiquidityCumulativeX128 }: Observation): OracleReading {
  return { tickCumulative, secondsPerLiquidityCumulativeX128 }
}

function pastOfTicks(state: PoolState, block: number): PastState {
  const last = state.observations[state.observationIndex]
  return {
    block,
    sqrtPriceX96: state.sqrtPriceX96,
    tick: state.tick,
    liquidity: state.liquidity,
    writtenAt: last?.blockTimestamp ?? 0,
    tickCumulative: last?.tickCumulative ?? 0n,
    secondsPerLiquidityCumulativeX128: last?.secondsPerLiquidityCumulativeX128 ?? 0n,
    reserve0: 0n,
    reserve1: 0n,
    price0Cumulative: 0n,
    price1Cumulative: 0n,
  }
}

function pastOfPair({ pair }: Extract<SimPool, { version: 'v2' }>, block: number): PastState {
  const { reserve0, reserve1, price0Cumulative, price1Cumulative, updatedAt } = pair
  return {
    block,
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    writtenAt: updatedAt,
    tickCumulative: 0n,
    secondsPerLiquidityCumulativeX128: 0n,
    reserve0,
    reserve1,
    price0Cumulative,
    price1Cumulative,
  }
}

/** Worked out when somebody reads it: a pair changes more often than it is read. */
function priceOfReserves({ reserve0, reserve1 }: PastState) {
  const sqrtPriceX96 = integerSqrt((reserve1 << 192n) / reserve0)
  return { sqrtPriceX96, tick: getTickAtSqrtPrice(sqrtPriceX96), liquidity: integerSqrt(reserve0 * reserve1) }
}
