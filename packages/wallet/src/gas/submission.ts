import type { Address, Hash, Hex, Log } from 'viem'
import type { OpenRegistry } from '../agent/lookup/open-registry.ts'
import type {
  AgentRegistrationConfig,
  DeferredRegistration,
  GasTier,
  RegistrationAttempt,
  RegistrationProgress,
} from '../agent/registration/registration.ts'
import type { Journal } from '../journal.ts'
import type { ServiceWallet } from '../service-wallet.ts'
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

/** What the tiers of gas share while they bring one call to the chain. */
export type GasDesk = GasContext & {
  /** Grows as tiers are tried. */
  readonly attempts: RegistrationAttempt[]
  readonly warnings: string[]
}

export type GasContext = Pick<OpenRegistry, 'chain' | 'client'> & {
  readonly wallet: ServiceWallet
  readonly owner: Address
  readonly journal: Journal
  readonly options: Pick<AgentRegistrationConfig, 'gas' | 'apiUrl' | 'signal' | 'fetch' | 'env' | 'now' | 'sleep'>
  readonly progress: (
    step: RegistrationProgress['step'],
    message: string,
    details?: RegistrationProgress['details'],
  ) => void
}
