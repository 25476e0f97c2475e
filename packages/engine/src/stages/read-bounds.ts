import type { Chain } from '@svc/wallet/core'
import { type Intent, ToolError } from '@svc/amm'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import type { Refusal } from '../context/refusal.ts'
import { type CallBounds, callBounds, noBounds } from '../value/call-bounds.ts'

/** Calldata of the AMM that is not known to its last byte may permit anything. */
export function readBounds(
  { calls }: Intent,
  chain: Chain,
  known: KnownContracts,
): { readonly bounds: readonly CallBounds[]; readonly refusals: readonly Refusal[] } {
  try {
    return { bounds: callBounds(calls, { chain, known }), refusals: [] }
  } catch (error) {
    const details = error instanceof ToolError ? error.details : []
    const message = 'The calldata cannot be read to its last byte, so what it permits at worst is not known.'
    return { bounds: calls.map(() => noBounds), refusals: [{ code: 'UNSAFE_TRANSACTION', message, details }] }
  }
}
