import { createHash } from 'node:crypto'
import { lockInTime, openJsonFile } from '../../json-file.ts'
import { createTurns } from '../../sender/turns.ts'
import { isRegistrationRecord } from './is-registration-record.ts'
import { keyOf, newestOf } from './memory-registration-records.ts'
import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/**
 * Records in one file of JSON, readable by its owner only, replaced as a whole and durable before `save` resolves; several
 * processes may share it. Throws `JOURNAL_UNREADABLE` for a file that is damaged, holds something else or cannot be
 * written, and leaves it as it is; `JOURNAL_LOCKED` when another process does not let go of it, and for work that waited ten
 * minutes for that of another process.
 */
export function createFileRegistrationRecords(path: string): RegistrationRecords {
  const file = openJsonFile<RegistrationRecord>(path, isRegistrationRecord)
  const turns = createTurns()
  return {
    load: async (token) => (await file.read()).find((record) => record.token === token) ?? null,
    find: async (chainId, registry, owner, updateOf) =>
      newestOf(await file.read(), { chainId, registry, owner, updateOf }),
    async save(record) {
      await file.change((records) => [...records.filter(({ token }) => token !== record.token), record])
    },
    async inTurn(matter, work, signal) {
      const key = keyOf(matter)
      const withLock = async () => {
        const release = await lockInTime(`${path}.${nameOf(key)}`, { ...patience, ...(signal && { signal }) })
        try {
          return await work()
        } finally {
          await release()
        }
      }
      return turns(key, withLock, signal)
    },
  }
}

/** Longer than funds and confirmations are waited for unless a caller says so. */
const patience = { trials: 2_400, pauseMs: 250 }

function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}
