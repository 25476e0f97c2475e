import { isAddress, isHash, isHex } from 'viem'
import { type RegistrationRecord, type RegistrationRecords, keyOf, newestOf } from './registration-records.ts'
import { createHash } from 'node:crypto'
import { lockInTime, openJsonFile } from '../../json-file.ts'
import { createTurns } from '../../sender/mutex.ts'

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

/** Whether a value of JSON is a record of this package. Members that later versions add do not make it another thing. */
function isRegistrationRecord(value: unknown): value is RegistrationRecord {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(checks).every(([member, check]) => check(Reflect.get(value, member)))
}

type Check = (value: unknown) => boolean

const states: ReadonlySet<unknown> = new Set([
  'prepared',
  'sent',
  'deferred',
  'registered',
  'updated',
  'failed',
] satisfies RegistrationRecord['state'][])
const methods: ReadonlySet<unknown> = new Set([
  'sdk-ipfs',
  'sdk-inline',
  'direct-contract',
] satisfies RegistrationRecord['method'][])

const isText: Check = (value) => typeof value === 'string'
const isCount: Check = (value) => Number.isSafeInteger(value)
const isPlace: Check = (value) => typeof value === 'string' && isAddress(value)
const isBytes: Check = (value) => isHex(value)
const isTokenId: Check = (value) => typeof value === 'string' && /^\d{1,78}$/.test(value)

const checks: { readonly [Member in keyof Required<RegistrationRecord>]: Check } = {
  token: isText,
  chainId: isCount,
  registry: isPlace,
  owner: isPlace,
  state: (value) => states.has(value),
  method: (value) => methods.has(value),
  agentURI: isText,
  data: isBytes,
  txHash: (value) => value === null || (typeof value === 'string' && isHash(value)),
  userOperation: (value) => typeof value === 'object',
  userOperationHash: (value) => value === null || isHex(value),
  tokenId: (value) => value === null || isTokenId(value),
  update: (value) => value === undefined || isUpdate(value),
  warnings: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  updatedAt: isCount,
}

function isUpdate(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('tokenId' in value) || !('rest' in value)) return false
  return isTokenId(value.tokenId) && Array.isArray(value.rest) && value.rest.every(isBytes)
}
