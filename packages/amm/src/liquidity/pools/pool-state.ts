import { type Address, slice, zeroAddress, type Hex } from 'viem'
import type { Pool, Token } from '../../ports.ts'
import { unknownVersion } from '../../ports/pools.ts'
import { getTickAtSqrtPrice, integerSqrt, MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '@svc/lp-math'
import { contractFunction } from '../../rpc/contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v2PairAbi } from '../../abis/v2.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import type { AmmDeployment } from '@svc/wallet/core'
import { v4PositionManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import { poolIdOf, type PoolKey } from '../v4/pool-key.ts'

/** A pool as the chain knows it: tokens by address only. */
export type PoolState = Omit<Pool, 'token0' | 'token1' | 'blockNumber'> & {
  readonly token0: Address
  readonly token1: Address
}

/** The pool of a state, with its tokens named and the block it was read at. */
export function poolOf(state: PoolState, tokens: readonly [Token, Token], blockNumber: bigint): Pool {
  return { ...state, token0: tokens[0], token1: tokens[1], blockNumber }
}

/** Two things with addresses in the order in which pools keep them: by address, as numbers. */
export function sortPair<Item extends { readonly address: Address }>(a: Item, b: Item): [Item, Item] {
  return BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a]
}

/**
 * Share of a swap's fee that goes to liquidity providers, after the protocol's part, between 0 and 1. `fee` is the fee the
 * swap paid (hundredths of a basis point), `zeroForOne` whether token0 went in.
 * v3-core: slot0.feeProtocol holds a denominator in four bits for each token. v4-core: protocolFee holds pips of the input
 * in twelve bits for each direction, and the fee of the Swap event includes it.
 */
export function lpFeeShare(pool: Pick<Pool, 'version' | 'protocolFee'>, fee: number, zeroForOne: boolean): number {
  if (pool.version === 'v2' || fee === 0) return 1
  if (pool.version === 'v3') {
    const denominator = zeroForOne ? pool.protocolFee % 16 : pool.protocolFee >> 4
    return denominator === 0 ? 1 : 1 - 1 / denominator
  }
  if (pool.version !== 'v4') throw unknownVersion(pool.version)
  const protocolPips = zeroForOne ? pool.protocolFee & 0xfff : pool.protocolFee >> 12
  return Math.max(0, 1 - protocolPips / fee)
}

/** The state of a v2 pair of known tokens; `null` where no pair stands or it holds nothing, hence has no price. */
export function v2PairQuery(pair: Address, tokens: Query<V2Identity | null>): Query<PoolState | null> {
  const reserves = query([readReserves(pair, [])], ([reserves]) => reserves)
  return mapQuery(joinQueries([tokens, reserves] as const), ([identity, reserves]) => {
    if (identity === null || reserves === null) return null
    const [reserve0, reserve1] = reserves
    const sqrtPriceX96 = reserve0 === 0n ? 0n : integerSqrt((reserve1 << 192n) / reserve0)
    if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) return null
    return {
      ...identity,
      version: 'v2',
      id: pair,
      fee: v2Fee,
      tickSpacing: null,
      hooks: null,
      sqrtPriceX96,
      tick: getTickAtSqrtPrice(sqrtPriceX96),
      liquidity: integerSqrt(reserve0 * reserve1),
      reserve0,
      reserve1,
      feeGrowthGlobal0X128: null,
      feeGrowthGlobal1X128: null,
      protocolFee: 0,
    }
  })
}

export type V2Identity = Pick<PoolState, 'token0' | 'token1'>

/** Which tokens a contract says it is the pair of. */
export function v2IdentityQuery(pair: Address): Query<V2Identity | null> {
  const reads = [readPairToken0(pair, []), readPairToken1(pair, [])] as const
  return query(reads, ([token0, token1]) => (token0 === null || token1 === null ? null : { token0, token1 }))
}

/** Every v2 pair takes 0.3 % of the input. */
const v2Fee = 3_000

const readReserves = contractFunction(v2PairAbi, 'getReserves')
const readPairToken0 = contractFunction(v2PairAbi, 'token0')
const readPairToken1 = contractFunction(v2PairAbi, 'token1')

/** The state of a v3 pool; `null` where no pool stands or it was never given a price. */
export function v3PoolQuery(pool: Address, identity: Query<V3Identity | null>): Query<PoolState | null> {
  const state = query(
    [
      readSlot0(pool, []),
      readLiquidity(pool, []),
      readFeeGrowthGlobal0X128(pool, []),
      readFeeGrowthGlobal1X128(pool, []),
    ],
    (results) => results,
  )
  return mapQuery(joinQueries([identity, state] as const), ([known, [slot0, liquidity, growth0, growth1]]) => {
    if (known === null || slot0 === null || liquidity === null || growth0 === null || growth1 === null) return null
    const [sqrtPriceX96, tick, , , , feeProtocol] = slot0
    if (sqrtPriceX96 === 0n) return null
    return {
      ...known,
      version: 'v3',
      id: pool,
      hooks: null,
      sqrtPriceX96,
      tick,
      liquidity,
      reserve0: null,
      reserve1: null,
      feeGrowthGlobal0X128: growth0,
      feeGrowthGlobal1X128: growth1,
      protocolFee: feeProtocol,
    }
  })
}

export type V3Identity = Pick<PoolState, 'token0' | 'token1' | 'fee' | 'tickSpacing'>

/** Which pool a contract says it is. */
export function v3IdentityQuery(pool: Address): Query<V3Identity | null> {
  const reads = [readToken0(pool, []), readToken1(pool, []), readFee(pool, []), readTickSpacing(pool, [])] as const
  return query(reads, ([token0, token1, fee, tickSpacing]) =>
    token0 === null || token1 === null || fee === null || tickSpacing === null
      ? null
      : { token0, token1, fee, tickSpacing },
  )
}

const readSlot0 = contractFunction(v3PoolAbi, 'slot0')
const readLiquidity = contractFunction(v3PoolAbi, 'liquidity')
const readFeeGrowthGlobal0X128 = contractFunction(v3PoolAbi, 'feeGrowthGlobal0X128')
const readFeeGrowthGlobal1X128 = contractFunction(v3PoolAbi, 'feeGrowthGlobal1X128')
const readToken0 = contractFunction(v3PoolAbi, 'token0')
const readToken1 = contractFunction(v3PoolAbi, 'token1')
const readFee = contractFunction(v3PoolAbi, 'fee')
const readTickSpacing = contractFunction(v3PoolAbi, 'tickSpacing')

/** The price, fees and liquidity of a v4 pool by its id; `null` where none was initialised. */
export function v4StateQuery(deployment: NonNullable<AmmDeployment['v4']>, id: Hex): Query<V4State | null> {
  const reads = [
    readV4Slot0(deployment.stateView, [id]),
    readV4Liquidity(deployment.stateView, [id]),
    readV4FeeGrowth(deployment.stateView, [id]),
  ] as const
  return query(reads, ([slot0, liquidity, growth]) => {
    if (slot0 === null || liquidity === null || growth === null || slot0[0] === 0n) return null
    const [sqrtPriceX96, tick, protocolFee, lpFee] = slot0
    return { id, sqrtPriceX96, tick, protocolFee, lpFee, liquidity, growth }
  })
}

/** The v4 pool of a key with the fee in force; `null` where none was initialised. */
export function v4PoolQuery(deployment: NonNullable<AmmDeployment['v4']>, key: PoolKey): Query<PoolState | null> {
  return mapQuery(v4StateQuery(deployment, poolIdOf(key)), (state) => (state === null ? null : v4PoolState(key, state)))
}

/** The key of a pool that the PositionManager has ever been used with, proved by the id; else `null`. */
export function v4KeyQuery(deployment: NonNullable<AmmDeployment['v4']>, id: Hex): Query<PoolKey | null> {
  const read = readPoolKeys(deployment.positionManager, [slice(id, 0, 25)])
  return query([read], ([stored]) => {
    if (stored === null) return null
    const [currency0, currency1, fee, tickSpacing, hooks] = stored
    const key = { currency0, currency1, fee, tickSpacing, hooks }
    return poolIdOf(key) === id ? key : null
  })
}

/** A key and a state as one. */
export function v4PoolState(key: PoolKey, state: V4State): PoolState {
  return {
    version: 'v4',
    id: state.id,
    token0: key.currency0,
    token1: key.currency1,
    fee: state.lpFee,
    tickSpacing: key.tickSpacing,
    hooks: key.hooks === zeroAddress ? null : key.hooks,
    sqrtPriceX96: state.sqrtPriceX96,
    tick: state.tick,
    liquidity: state.liquidity,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: state.growth[0],
    feeGrowthGlobal1X128: state.growth[1],
    protocolFee: state.protocolFee,
  }
}

export type V4State = {
  readonly id: Hex
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly protocolFee: number
  /** What liquidity providers take in force now; the key's own unless a hook decides. */
  readonly lpFee: number
  readonly liquidity: bigint
  readonly growth: readonly [growth0X128: bigint, growth1X128: bigint]
}

const readV4Slot0 = contractFunction(v4StateViewAbi, 'getSlot0')
const readV4Liquidity = contractFunction(v4StateViewAbi, 'getLiquidity')
const readV4FeeGrowth = contractFunction(v4StateViewAbi, 'getFeeGrowthGlobals')
const readPoolKeys = contractFunction(v4PositionManagerAbi, 'poolKeys')
