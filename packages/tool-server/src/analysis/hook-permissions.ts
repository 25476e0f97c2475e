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
