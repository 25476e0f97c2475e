import { openJsonFile } from '../../json-file.ts'
import { createMutex } from '../../sender/mutex.ts'
import type { CallBatch, CallBatches } from './call-batch.ts'

/**
 * Batches in one file of JSON, readable by its owner only. For one process at a time, and beside a journal that lasts as
 * long: that holds their transactions. Throws `JOURNAL_UNREADABLE` for a file that is damaged or cannot be written.
 */
export function createFileCallBatches(path: string): CallBatches {
  const inTurn = createMutex()
  const file = openJsonFile<CallBatch>(path)
  return {
    load: async (id) => (await file.read()).find((batch) => batch.id === id) ?? null,
    add: (batch) =>
      inTurn(async () => {
        const batches = await file.read()
        if (batches.some(({ id }) => id === batch.id)) return false
        await file.replace([...batches, batch])
        return true
      }),
  }
}
