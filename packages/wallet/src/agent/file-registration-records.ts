import { openJsonFile } from '../json-file.ts'
import { createMutex } from '../sender/mutex.ts'
import { newestOf } from './memory-registration-records.ts'
import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/**
 * Records in one file of JSON, readable by its owner only, replaced as a whole and durable before `save` resolves. For
 * one process at a time. Throws `JOURNAL_UNREADABLE` for a file that is damaged or cannot be written.
 */
export function createFileRegistrationRecords(path: string): RegistrationRecords {
  const inTurn = createMutex()
  const file = openJsonFile<RegistrationRecord>(path)
  return {
    load: async (token) => (await file.read()).find((record) => record.token === token) ?? null,
    find: async (chainId, registry, owner, updateOf) =>
      newestOf(await file.read(), { chainId, registry, owner, updateOf }),
    save: (record) =>
      inTurn(async () => {
        const others = (await file.read()).filter(({ token }) => token !== record.token)
        await file.replace([...others, record])
      }),
  }
}
