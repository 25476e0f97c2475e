import type { CallBatch, CallBatches } from './call-batches.ts'

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
