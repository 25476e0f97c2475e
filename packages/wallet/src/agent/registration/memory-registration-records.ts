import { createTurns } from '../../sender/mutex.ts'
import type { RegistrationMatter, RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/**
 * Records that last as long as the process: a crash forgets what was under way, and other processes do not see it.
 */
export function createMemoryRegistrationRecords(): RegistrationRecords {
  const records = new Map<string, RegistrationRecord>()
  const turns = createTurns()
  return {
    load: async (token) => records.get(token) ?? null,
    async find(chainId, registry, owner, updateOf) {
      return newestOf([...records.values()], { chainId, registry, owner, updateOf })
    },
    async save(record) {
      records.set(record.token, record)
    },
    inTurn: (matter, work, signal) => turns(keyOf(matter), work, signal),
  }
}

/** One matter, one key, whatever the case of an address. */
export function keyOf({ chainId, registry, owner, updateOf = 'registration' }: RegistrationMatter): string {
  return `${chainId} ${registry} ${owner} ${updateOf}`.toLowerCase()
}

/** The newest that is not ended, or else the newest, of a wallet's registrations or of one agent's updates. */
export function newestOf(
  records: readonly RegistrationRecord[],
  sought: RegistrationMatter,
): RegistrationRecord | null {
  const key = keyOf(sought)
  const own = records
    .filter((record) => keyOf({ ...record, updateOf: record.update?.tokenId }) === key)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
  return own.find((record) => !isEnded(record)) ?? own[0] ?? null
}

/** Whether nothing of it can be gone on with. */
export function isEnded({ state }: RegistrationRecord): boolean {
  return state === 'registered' || state === 'updated' || state === 'failed'
}
