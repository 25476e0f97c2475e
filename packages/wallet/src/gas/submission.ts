import type { Address, Hash, Hex, Log } from 'viem'
import type { DeferredRegistration, GasTier, RegistrationAttempt } from '../agent/registration.ts'

/** One call to the chain, with at most one effect however often it is submitted under the same request id. */
export type SubmitCall = (call: SubmittableCall) => Promise<Submission>

export type SubmittableCall = {
  /** Request id in the journal. The same one again goes on with what is out. */
  readonly requestId: string
  readonly target: Address
  readonly data: Hex
}

export type Submission = { readonly attempts: readonly RegistrationAttempt[]; readonly warnings: readonly string[] } & (
  | {
      readonly status: 'mined'
      readonly txHash: Hash
      /** Of the call: for an operation in a bundle those of the operation alone. */
      readonly logs: readonly Log[]
      readonly gasTier: GasTier
    }
  | { readonly status: 'reverted'; readonly txHash: Hash; readonly reason: string | null }
  | { readonly status: 'pending'; readonly txHash: Hash | null; readonly userOperationHash: Hex | null }
  | { readonly status: 'deferred'; readonly fund: DeferredRegistration['fund'] }
)
