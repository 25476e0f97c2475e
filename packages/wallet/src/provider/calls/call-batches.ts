import type { Address } from 'viem'
import type { SignedUserOperation } from '../../user-operation/signed-user-operation.ts'

/** Calls that were sent together by `wallet_sendCalls`, as plain data. Its transactions are in the journal under `requestId`. */
export type CallBatch = {
  /** The client's own, or made up here. */
  readonly id: string
  readonly requestId: string
  readonly chainId: number
  readonly from: Address
  /** How many calls there are. */
  readonly size: number
  /** The one operation that holds all calls; `null` where they went out as transactions, one after the other. */
  readonly operation: SignedUserOperation | null
}

/** Where batches are kept, so that an id is never used twice. */
export type CallBatches = {
  load(id: string): Promise<CallBatch | null>
  /** Durable when it resolves, before anything of the batch leaves. `false`, and nothing kept, when there is one of the id. */
  add(batch: CallBatch): Promise<boolean>
}
