import type { Address } from 'viem'
import { ToolError } from '../../tool-error.ts'

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

/** beforeSwap, afterSwap, afterAddLiquidity and afterRemoveLiquidity returning deltas: bits 3 to 0. */
const returnsDeltaFlags = 0b1111n
