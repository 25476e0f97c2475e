import { tickSpacingForFee } from '@svc/lp-math'
import { type Address, encodeAbiParameters, type Hex, keccak256, zeroAddress } from 'viem'
import type { Pool } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/** What identifies a v4 pool; currencies are sorted by address, the native currency is the zero address. */
export type PoolKey = {
  readonly currency0: Address
  readonly currency1: Address
  /** Hundredths of a basis point, or `dynamicFeeFlag`. */
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

/** The key's fee of a pool whose hook decides the fee (v4-core LPFeeLibrary). */
export const dynamicFeeFlag = 0x800000

/** The 32-byte PoolId of a key: keccak256 of its ABI encoding (v4-core PoolId). */
export function poolIdOf(key: PoolKey): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }, { type: 'int24' }, { type: 'address' }],
      [key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks],
    ),
  )
}

/**
 * The key of a v4 pool that was read from the chain, proved by its id. `pool.fee` is the fee in force, so the key of a
 * pool with a dynamic fee carries the flag instead.
 *
 * @throws TypeError when the pool is not a v4 pool or its members do not hash to its id.
 */
export function poolKeyOf(pool: Pool): PoolKey {
  const base = {
    currency0: pool.token0.address,
    currency1: pool.token1.address,
    tickSpacing: pool.tickSpacing ?? 0,
    hooks: pool.hooks ?? zeroAddress,
  }
  for (const fee of [pool.fee, dynamicFeeFlag]) {
    const key = { ...base, fee }
    if (poolIdOf(key) === pool.id) return key
  }
  throw new TypeError(`pool ${pool.id} does not match its key`)
}

/** The keys under which a v4 pool of two sorted currencies is looked for: customary fees and spacings, no hooks. */
export function standardKeys(currency0: Address, currency1: Address): readonly PoolKey[] {
  return customaryFees.map((fee) => ({
    currency0,
    currency1,
    fee,
    tickSpacing: tickSpacingForFee(fee),
    hooks: zeroAddress,
  }))
}

/**
 * Refuses a hook that may change the amounts of a call: then neither the bounds of the calldata nor the logs say what
 * moves. The permission stands in the four lowest bits of the hook's address (v4-core Hooks library).
 *
 * @throws ToolError `HOOK_NOT_SUPPORTED`.
 */
export function refuseDeltaHooks(hooks: Address | null, field: string): void {
  if (hooks === null || (BigInt(hooks) & returnsDeltaFlags) === 0n) return
  const message = 'The hook of this pool may change the amounts that a call pays or receives.'
  throw new ToolError('HOOK_NOT_SUPPORTED', `${field}: ${message}`, {
    details: [{ field, message, accepted: 'a pool without hooks, or with hooks that return no deltas' }],
  })
}

/** The fees of the spec, in hundredths of a basis point. */
const customaryFees = [100, 500, 3_000, 10_000] as const

/** beforeSwap, afterSwap, afterAddLiquidity and afterRemoveLiquidity returning deltas: bits 3 to 0. */
const returnsDeltaFlags = 0b1111n
