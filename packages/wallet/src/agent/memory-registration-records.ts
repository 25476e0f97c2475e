import type { RegistrationRecord, RegistrationRecords } from './registration-records.ts'

/** Records that last as long as the process: a crash forgets what was under way. */
export function createMemoryRegistrationRecords(): RegistrationRecords {
  const records = new Map<string, RegistrationRecord>()
  return {
    load: async (token) => records.get(token) ?? null,
    async find(chainId, registry, owner, updateOf) {
      return newestOf([...records.values()], { chainId, registry, owner, updateOf })
    },
    async save(record) {
      records.set(record.token, record)
    },
  }
}

/** The newest that is not ended, or else the newest, of a wallet's registrations or of one agent's updates. */
export function newestOf(
  records: readonly RegistrationRecord[],
  { chainId, registry, owner, updateOf }: Sought,
): RegistrationRecord | null {
  const key = `${chainId} ${registry} ${owner}`.toLowerCase()
  const own = records
    .filter((record) => `${record.chainId} ${record.registry} ${record.owner}`.toLowerCase() === key)
    .filter(({ update }) => update?.tokenId === updateOf)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
  return own.find((record) => !isEnded(record)) ?? own[0] ?? null
}

/** Whether nothing of it can be gone on with. */
export function isEnded({ state }: RegistrationRecord): boolean {
  return state === 'registered' || state === 'updated' || state === 'failed'
}

type Sought = {
  readonly chainId: number
  readonly registry: string
  readonly owner: string
  readonly updateOf: string | undefined
}
