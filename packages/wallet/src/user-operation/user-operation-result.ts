import type { Address, Hash, Hex, Log } from 'viem'
import type { Chain } from '../chain.ts'
import type { UserOperationProgress } from './open-bundler.ts'
import type { SignedUserOperation, UserOperationRecord } from './signed-user-operation.ts'

/** The call, who pays for it, and how it is kept and waited for. */
export type SendUserOpOptions = {
  readonly target: Address
  readonly data: Hex
  /** URL of an ERC-7677 paymaster; `SVC_PAYMASTER_URL_<chainId>` where it is missing. */
  readonly paymaster?: string | undefined
  readonly paymasterContext?: Readonly<Record<string, unknown>> | undefined
  /** `SVC_BUNDLER_URL_<chainId>` where it is missing. */
  readonly bundlerUrl?: string | undefined
  /** The wallet's own where it is missing. */
  readonly chainId?: number | undefined
  /** Rows of chains that the table does not have. */
  readonly chains?: readonly Chain[] | undefined
  /** Agrees to delegate the account to this implementation instead of Simple7702Account. */
  readonly allowDelegationTo?: Address | undefined
  /** Keeps the signed operation before it is offered, so that a process that begins anew goes on with it. */
  readonly record?: UserOperationRecord | undefined
  /** The `operation` of a pending result, where there is no record. */
  readonly resume?: SignedUserOperation | undefined
  /** How long the end is waited for; 60 s. */
  readonly timeoutMs?: number | undefined
  /** The same operation is offered again after this long without an end; 10 s. */
  readonly resendAfterMs?: number | undefined
  /** Of one request to bundler or paymaster; 10 s. */
  readonly requestTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly onProgress?: ((event: UserOperationProgress) => void) | undefined
}

/** How a user operation stands: mined with success, or out without a known end. */
export type UserOperationResult = { readonly userOperationHash: Hex } & (
  | {
      readonly status: 'mined'
      readonly txHash: Hash
      /** Of the operation's own call, whatever else is in the bundle; viem's, whose `stringify` writes their bigints. */
      readonly logs: readonly Log[]
    }
  | {
      readonly status: 'pending'
      readonly code: 'USER_OPERATION_PENDING'
      readonly operation: SignedUserOperation
      /** What the bundler said when it would not take the operation. */
      readonly declined: string | null
    }
)
