import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/** Records that last as long as the process: a crash forgets what was under way. */
export function createMemoryRegistrationRecords(): RegistrationRecords {
  const records = new Map<string, RegistrationRecord>()
  return {
    load: async (token) => records.get(token) ?? null,
    async find(chainId, registry, owner) {
      return newestOf([...records.values()], chainId, registry, owner)
    },
    async save(record) {
      records.set(record.token, record)
    },
  }
}

/** Of a wallet at a registry: the newest that is not ended, or else the newest. */
export function newestOf(
  records: readonly RegistrationRecord[],
  chainId: number,
  registry: string,
  owner: string,
): RegistrationRecord | null {
  const key = `${chainId} ${registry} ${owner}`.toLowerCase()
  const own = records
    .filter((record) => `${record.chainId} ${record.registry} ${record.owner}`.toLowerCase() === key)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
  return own.find(({ state }) => state !== 'registered' && state !== 'failed') ?? own[0] ?? null
}
