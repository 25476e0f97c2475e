import type { Pool } from '@svc/amm'
import { dynamicFeeFlag, poolKeyOf } from '@svc/amm/liquidity'
import type { Address } from 'viem'

/** What a v4 hook may do, read from the low 14 bits of its address (v4-core Hooks library). */
export function hookPermissions(hook: Address): readonly string[] {
  const flags = BigInt(hook) & 0x3fffn
  return permissionNames.filter((_, index) => (flags & (1n << BigInt(13 - index))) !== 0n)
}

/** From bit 13 down to bit 0. */
const permissionNames = [
  'beforeInitialize',
  'afterInitialize',
  'beforeAddLiquidity',
  'afterAddLiquidity',
  'beforeRemoveLiquidity',
  'afterRemoveLiquidity',
  'beforeSwap',
  'afterSwap',
  'beforeDonate',
  'afterDonate',
  'beforeSwapReturnsDelta',
  'afterSwapReturnsDelta',
  'afterAddLiquidityReturnsDelta',
  'afterRemoveLiquidityReturnsDelta',
] as const

/** Why figures of a pool are estimates: what its hook may do with the fee or with amounts. Nothing of a pool without hooks. */
export function hookDoubt(pool: Pool): readonly string[] {
  if (pool.hooks === null) return []
  const changesAmounts = hookPermissions(pool.hooks).some((permission) => permission.endsWith('ReturnsDelta'))
  return [
    ...(poolKeyOf(pool).fee === dynamicFeeFlag
      ? [`The fee is dynamic, ${pool.fee / 10_000} % now: the hook may set another at any time. Fees are estimates.`]
      : []),
    changesAmounts
      ? 'The hook of this pool may change what swaps and positions get: the figures are estimates.'
      : 'The hook of this pool may refuse swaps and positions, or add to fees: the figures are estimates.',
  ]
}
