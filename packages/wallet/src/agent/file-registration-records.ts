import { openJsonFile } from '../json-file.ts'
import { isRegistrationRecord } from './is-registration-record.ts'
import { newestOf } from './memory-registration-records.ts'
import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/**
 * Records in one file of JSON, readable by its owner only, replaced as a whole and durable before `save` resolves; several
 * processes may share it. Throws `JOURNAL_UNREADABLE` for a file that is damaged, holds something else or cannot be
 * written, and leaves it as it is; `JOURNAL_LOCKED` when another process does not let go of it.
 */
export function createFileRegistrationRecords(path: string): RegistrationRecords {
  const file = openJsonFile<RegistrationRecord>(path, isRegistrationRecord)
  return {
    load: async (token) => (await file.read()).find((record) => record.token === token) ?? null,
    find: async (chainId, registry, owner, updateOf) =>
      newestOf(await file.read(), { chainId, registry, owner, updateOf }),
    async save(record) {
      await file.change((records) => [...records.filter(({ token }) => token !== record.token), record])
    },
  }
}
