import type { Address, Hex } from 'viem'

/** One transaction of a run of the pipeline: the tool's own calls, and the approvals the pipeline makes and revokes around them. */
export type Step = {
  readonly kind: 'approve' | 'call' | 'revoke'
  /** Short verb phrase of ours. */
  readonly label: string
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  /** Where the transaction is a batch: its calls in order, and what the wallet is delegated to (EIP-7702). */
  readonly batch?: Batch | undefined
}

export type Batch = { readonly delegate: Address; readonly calls: readonly Step[] }
