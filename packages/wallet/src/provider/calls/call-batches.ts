import type { Address } from 'viem'
import { openJsonFile } from '../../json-file.ts'
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

/** Batches that last as long as the process: a crash forgets their ids. */
export function createMemoryCallBatches(): CallBatches {
  const batches = new Map<string, CallBatch>()
  return {
    load: async (id) => batches.get(id) ?? null,
    add: async (batch) => {
      if (batches.has(batch.id)) return false
      batches.set(batch.id, batch)
      return true
    },
  }
}

/**
 * Batches in one file of JSON, readable by its owner only. For one process at a time, and beside a journal that lasts as
 * long: that holds their transactions. Throws `JOURNAL_UNREADABLE` for a file that is damaged or cannot be written.
 */
export function createFileCallBatches(path: string): CallBatches {
  const file = openJsonFile<CallBatch>(path)
  return {
    load: async (id) => (await file.read()).find((batch) => batch.id === id) ?? null,
    add: (batch) => file.change((batches) => (batches.some(({ id }) => id === batch.id) ? null : [...batches, batch])),
  }
}
