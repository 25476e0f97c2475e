import { twammOrderAbi } from '@svc/amm/abis'
import type { PoolKey } from '@svc/amm/liquidity'
import { decodeFunctionData, type Hex } from 'viem'
import { staticFeeBps } from './trade-bounds.ts'
import { identityOfKey, type PoolIdentity } from './pool-identity.ts'

/** An order as its calldata has it. Lower-case tokens. */
export type OrderBounds = {
  readonly key: PoolKey
  readonly pool: PoolIdentity
  readonly zeroForOne: boolean
  readonly tokenIn: string
  readonly tokenOut: string
  /** All that it may take. */
  readonly amountIn: bigint
  /** What the pool takes of a trade; 0 for a fee that a hook decides. */
  readonly feeBps: number
}

/** `null` for what settles, ends or pays out an order. Throws for what is no call of an owner of orders. */
export function orderOf(data: Hex): OrderBounds | null {
  const call = decodeFunctionData({ abi: twammOrderAbi, data })
  if (call.functionName !== 'submitOrder') return null
  const [key, { zeroForOne }, amountIn] = call.args
  const pool = identityOfKey(key)
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  return { key, pool, zeroForOne, tokenIn, tokenOut, amountIn, feeBps: staticFeeBps(key.fee) }
}
