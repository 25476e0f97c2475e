import { openJsonFile } from '../../json-file.ts'
import type { CallBatch, CallBatches } from './call-batches.ts'

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
