import { unsigned } from '@svc/amm/liquidity'
import { type Intent, type IntentCall, isBatch } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual } from 'viem'
import type { NestedCalls } from '../calldata/read-calldata.ts'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import type { Refusal } from '../call/refusal.ts'

/**
 * Holds the permits in calldata against the one that an intent declares: there is no other, it is for a position of the chain's own
 * position manager and for the universal router that is called with it, no signature stands in it yet, and the same call burns the
 * position, so that the right ends with it. A batch takes none.
 */
export function permitRefusals(intent: Intent, { chain, known }: PermitContext): readonly Refusal[] {
  const { permit, calls } = intent
  const made = calls.flatMap((call) => permitsOf(call, known).map((args) => ({ call, args })))
  if (permit === undefined) return made.length === 0 ? [] : [refuse('A call takes a right that is not declared.')]
  // The wallet would have to be simulated as two accounts at once: one that runs the batch, one that signed already.
  if (isBatch(intent)) return [refuse('A batch holds no call whose signature is still to be made.')]
  const [only] = made
  if (only === undefined || made.length > 1 || calls.length > 1)
    return [refuse('The calls do not take the one right that is declared.')]
  const { args, call } = only
  const isOurs = chain.amm.v3 !== undefined && isAddressEqual(permit.positionManager, chain.amm.v3.positionManager)
  const isRouter = isAddressEqual(permit.spender, call.to) && isAddressEqual(args['spender'] as Address, call.to)
  const isSame = args['tokenId'] === permit.tokenId && args['deadline'] === BigInt(permit.deadline)
  const isOpen = args['v'] === unsigned.v && args['r'] === unsigned.r && args['s'] === unsigned.s
  if (!isOurs || !isRouter || !isSame || !isOpen) return [refuse('A call takes another right than is declared.')]
  const burnt = nestedOf(call, known)?.burnt ?? []
  return burnt.includes(permit.tokenId) ? [] : [refuse('A right over a position would outlast the call.')]
}

export type PermitContext = { readonly chain: Chain; readonly known: Pick<KnownContracts, 'surfaces' | 'readCall'> }

function permitsOf(call: IntentCall, known: PermitContext['known']): NestedCalls['permits'] {
  return nestedOf(call, known)?.permits ?? []
}

function nestedOf(call: IntentCall, known: PermitContext['known']): NestedCalls | null {
  const surface = known.surfaces.get(call.to.toLowerCase())
  if (surface === undefined || surface === 'listed') return null
  return known.readCall(surface, call)?.nested ?? null
}

function refuse(message: string): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message, details: [{ message: 'the permit' }] }
}
