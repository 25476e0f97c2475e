import type { Address, Hash, Hex, Log } from 'viem'
import type { DeferredRegistration, GasTier, RegistrationAttempt } from '../agent/registration/registration.ts'
import type { UserOperationRecord } from '../user-operation/signed-user-operation.ts'

/** One call to the chain, with at most one effect however often it is submitted under the same request id. */
export type SubmitCall = (call: SubmittableCall) => Promise<Submission>

export type SubmittableCall = {
  /** Request id in the journal. The same one again goes on with what is out. */
  readonly requestId: string
  readonly target: Address
  readonly data: Hex
  /** Keeps the signed operation of a sponsored call. Without it the call is never sponsored. */
  readonly operation?: UserOperationRecord
}

export type Submission = { readonly attempts: readonly RegistrationAttempt[]; readonly warnings: readonly string[] } & (
  | SettledCall
  | { readonly status: 'deferred'; readonly fund: DeferredRegistration['fund'] }
)

/** What became of a call that came to a signature. */
export type SettledCall =
  | {
      readonly status: 'mined'
      readonly txHash: Hash
      /** Of the call: for an operation in a bundle those of the operation alone. */
      readonly logs: readonly Log[]
      readonly gasTier: GasTier
    }
  | { readonly status: 'reverted'; readonly txHash: Hash; readonly reason: string | null }
  | { readonly status: 'pending'; readonly txHash: Hash | null; readonly userOperationHash: Hex | null }
