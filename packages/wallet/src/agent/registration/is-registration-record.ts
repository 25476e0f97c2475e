import { isAddress, isHash, isHex } from 'viem'
import type { RegistrationRecord } from './registration-records.ts'

/** Whether a value of JSON is a record of this package. Members that later versions add do not make it another thing. */
export function isRegistrationRecord(value: unknown): value is RegistrationRecord {
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
  updatedAt: isCount,
}

function isUpdate(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('tokenId' in value) || !('rest' in value)) return false
  return isTokenId(value.tokenId) && Array.isArray(value.rest) && value.rest.every(isBytes)
}
