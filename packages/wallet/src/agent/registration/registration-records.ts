import type { Address, Hash, Hex } from 'viem'
import { createTurns } from '../../sender/mutex.ts'

/**
 * Where registrations under way are kept: one record per wallet, chain and registry, written before anything leaves the
 * process, so that a process that dies between broadcast and answer finds its one identity again.
 */
export type RegistrationRecords = {
  load(token: string): Promise<RegistrationRecord | null>
  /**
   * The newest registration of a wallet at a registry that is not ended, or else the newest; of the updates of an agent
   * where its token id is given.
   */
  find(chainId: number, registry: Address, owner: Address, updateOf?: string): Promise<RegistrationRecord | null>
  /** Durable when it resolves. Replaces the record of the same token. */
  save(record: RegistrationRecord): Promise<void>
  /**
   * Does the work while no other work on the same matter is under way through these records, in whatever process: others
   * wait, in no order that is promised. Who fails or dies holds up nobody. Rejects with the reason of the signal when that
   * is given while the work still waits; work that has begun is left to heed it by itself.
   */
  inTurn<Result>(matter: RegistrationMatter, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

/** What is done once at a time: the registration of a wallet at a registry, or the update of one of its agents. */
export type RegistrationMatter = Pick<RegistrationRecord, 'chainId' | 'registry' | 'owner'> & {
  /** Token id of the agent that is updated. */
  readonly updateOf?: string | undefined
}

/** One registration: what was signed for it, and how far it came. Plain data, the same as JSON. */
export type RegistrationRecord = {
  /** Unguessable; also the request id in the journal. */
  readonly token: string
  readonly chainId: number
  readonly registry: Address
  readonly owner: Address
  readonly state: 'prepared' | 'sent' | 'deferred' | 'registered' | 'updated' | 'failed'
  readonly method: 'sdk-ipfs' | 'sdk-inline' | 'direct-contract'
  readonly agentURI: string
  /** Calldata of the registration. */
  readonly data: Hex
  readonly txHash: Hash | null
  /** The signed operation of a sponsored registration, to be offered again as it is. */
  readonly userOperation: Readonly<Record<string, unknown>> | null
  readonly userOperationHash: Hex | null
  readonly tokenId: string | null
  /** Of a call that changes an agent: its token id, and the calls of the same update that follow. */
  readonly update?: { readonly tokenId: string; readonly rest: readonly Hex[] }
  /** What a person should know of how the registration came to its file; said again by the call that goes on with it. */
  readonly warnings?: readonly string[]
  /** Unix milliseconds. */
  readonly updatedAt: number
}

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
