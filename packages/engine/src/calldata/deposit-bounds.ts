import type { Chain } from '@svc/wallet/core'
import { type Address, maxUint256 } from 'viem'
import type { Part } from './read-parts.ts'
import { identityOfKey, keyIn, type PoolIdentity, poolIdentity, textIn, uintIn } from './pool-identity.ts'

/** A deposit as its calldata bounds it. */
export type DepositBounds = {
  readonly version: 'v2' | 'v3' | 'v4'
  readonly contract: Address
  /** `null` for a new position, and in v2. */
  readonly positionId: bigint | null
  /** `null` where the calldata names the position alone. */
  readonly pool: PoolIdentity | null
  /** `null` in v2, and where the calldata names the position alone. */
  readonly ticks: Ticks | null
  /** What v4 fixes; `null` where it follows from the amounts. */
  readonly liquidity: bigint | null
  /** In the pool's order. */
  readonly most: Pair
  readonly least: Pair
}

export type Ticks = { readonly tickLower: number; readonly tickUpper: number }

export type Pair = { readonly amount0: bigint; readonly amount1: bigint }

/** Liquidity that is taken out of a position of v3 or v4, as its calldata bounds it. */
export type RemovalBounds = {
  readonly contract: Address
  readonly positionId: bigint
  readonly liquidity: bigint
  /** In the pool's order. */
  readonly least: Pair
}

/** What a position pays out of its liquidity and fees, as the calldata bounds it. */
export type PayoutBounds = {
  readonly contract: Address
  readonly positionId: bigint
  /** In the pool's order. */
  readonly most: Pair
}

/** `null` for parts that pay nothing out. v3 pays what is collected, v4 all fees whenever liquidity changes. */
export function payoutOf({ name, args }: Part, { contract }: Place): PayoutBounds | null {
  const own = () => ({ contract, positionId: uintIn(args['tokenId']) })
  if (name === 'collect') {
    return { ...own(), most: { amount0: uintIn(args['amount0Max']), amount1: uintIn(args['amount1Max']) } }
  }
  if (name !== 'v4.decrease' && name !== 'v4.increase') return null
  return { ...own(), most: { amount0: maxUint256, amount1: maxUint256 } }
}

/** `null` for parts that take nothing out. */
export function removalOf({ name, args }: Part, { contract }: Place): RemovalBounds | null {
  if (name !== 'decreaseLiquidity' && name !== 'v4.decrease') return null
  const isV4 = name === 'v4.decrease'
  const least = {
    amount0: uintIn(args[isV4 ? 'bound0' : 'amount0Min']),
    amount1: uintIn(args[isV4 ? 'bound1' : 'amount1Min']),
  }
  return { contract, positionId: uintIn(args['tokenId']), liquidity: uintIn(args['liquidity']), least }
}

/** The call that a part belongs to. */
export type Place = { readonly chain: Chain; readonly contract: Address; readonly valueWei: bigint }

/** `null` for parts that deposit nothing. */
export function depositOf({ name, args }: Part, place: Place): DepositBounds | null {
  const { chain, contract, valueWei } = place
  const own = { contract, positionId: null, liquidity: null, ticks: null, pool: null }
  if (name === 'mint') {
    const [token0, token1] = [textIn(args['token0']), textIn(args['token1'])]
    const pool = poolIdentity(chain, token0, token1, Number(args['fee']))
    return { ...own, version: 'v3', pool, ticks: ticksIn(args), ...v3Amounts(args) }
  }
  if (name === 'increaseLiquidity') {
    return { ...own, version: 'v3', positionId: uintIn(args['tokenId']), ...v3Amounts(args) }
  }
  if (name === 'v4.mint' || name === 'v4.increase') {
    const isMint = name === 'v4.mint'
    return {
      ...own,
      version: 'v4',
      positionId: isMint ? null : uintIn(args['tokenId']),
      pool: isMint ? identityOfKey(keyIn(args['key'])) : null,
      ticks: isMint ? ticksIn(args) : null,
      liquidity: uintIn(args['liquidity']),
      most: { amount0: uintIn(args['bound0']), amount1: uintIn(args['bound1']) },
      least: { amount0: 0n, amount1: 0n },
    }
  }
  if (name === 'addLiquidity') {
    const tokens = [textIn(args['tokenA']), textIn(args['tokenB'])] as const
    const most = [uintIn(args['amountADesired']), uintIn(args['amountBDesired'])] as const
    const least = [uintIn(args['amountAMin']), uintIn(args['amountBMin'])] as const
    return { ...own, version: 'v2', ...pairDeposit(chain, tokens, most, least) }
  }
  if (name === 'addLiquidityETH') {
    const tokens = [textIn(args['token']), chain.wrappedNative.address.toLowerCase()] as const
    const most = [uintIn(args['amountTokenDesired']), valueWei] as const
    const least = [uintIn(args['amountTokenMin']), uintIn(args['amountETHMin'])] as const
    return { ...own, version: 'v2', ...pairDeposit(chain, tokens, most, least) }
  }
  return null
}

function pairDeposit(
  chain: Chain,
  [tokenA, tokenB]: readonly [string, string],
  [mostA, mostB]: readonly [bigint, bigint],
  [leastA, leastB]: readonly [bigint, bigint],
): Pick<DepositBounds, 'pool' | 'most' | 'least'> {
  const pool = poolIdentity(chain, tokenA, tokenB, null)
  const isInOrder = pool.token0 === tokenA
  const pair = (one: bigint, other: bigint): Pair =>
    isInOrder ? { amount0: one, amount1: other } : { amount0: other, amount1: one }
  return { pool, most: pair(mostA, mostB), least: pair(leastA, leastB) }
}

function v3Amounts(args: Part['args']): Pick<DepositBounds, 'most' | 'least'> {
  return {
    most: { amount0: uintIn(args['amount0Desired']), amount1: uintIn(args['amount1Desired']) },
    least: { amount0: uintIn(args['amount0Min']), amount1: uintIn(args['amount1Min']) },
  }
}

function ticksIn(args: Part['args']): Ticks {
  return { tickLower: Number(args['tickLower']), tickUpper: Number(args['tickUpper']) }
}
