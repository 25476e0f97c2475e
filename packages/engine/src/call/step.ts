import type { OperationCall } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'

/** One transaction of a run of the pipeline: the tool's own calls, and the approvals the pipeline makes and revokes around them. */
export type Step = {
  readonly kind: 'approve' | 'call' | 'revoke'
  /** Short verb phrase of ours. */
  readonly label: string
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  /** Who calls, where it is not the wallet itself: the entry point of a user operation. */
  readonly from?: Address | undefined
  /** Where the transaction is a batch: its calls in order, and what the wallet is delegated to (EIP-7702). */
  readonly batch?: Batch | undefined
}

export type Batch = {
  readonly delegate: Address
  readonly calls: readonly Step[]
  /** Where it is carried out as a user operation. */
  readonly operation?: OperationTerms | undefined
}

export type OperationTerms = {
  /** Unix seconds after which it reverts, whoever includes it. */
  readonly expiresAt: number
  /** As the account makes them, with what the pipeline puts around them. */
  readonly calls: readonly OperationCall[]
  /** The contract whose log stands between the calls. */
  readonly permit2: Address
}
