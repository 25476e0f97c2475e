import { isRecord } from '@svc/runtime'
import { isDeepStrictEqual } from 'node:util'
import { isAddress, isHex } from 'viem'
import { signables, type Signable, type TypedMember } from './signable.ts'

/**
 * Reads typed data as one of the few kinds that are ever signed: exactly their types, exactly their domain members,
 * exactly their fields, every value in its plain form. Anything more, less, or like it is `null`.
 */
export function readTypedData(written: unknown): ReadTypedData | null {
  if (!isRecord(written) || !hasKeys(written, ['domain', 'types', 'primaryType', 'message'])) return null
  const { EIP712Domain, ...types } = isRecord(written['types']) ? written['types'] : {}
  const signable = signables.find(
    (one) => one.primaryType === written['primaryType'] && isDeepStrictEqual(types, one.types),
  )
  if (signable === undefined) return null
  const { version } = signable.domain
  if (EIP712Domain !== undefined && !isDeepStrictEqual(EIP712Domain, domainType(version !== null))) return null
  const domain = readDomain(written['domain'], signable)
  const message = readStruct(signable.primaryType, written['message'], signable.types)
  return domain === null || message === null ? null : { signable, ...domain, message }
}

export type ReadTypedData = {
  readonly signable: Signable
  readonly chainId: bigint
  /** Lower case. */
  readonly verifyingContract: string
  readonly message: TypedRecord
}

/** Addresses and bytes as lower-case hex, numbers as bigint. */
export type TypedValue = string | bigint | readonly TypedValue[] | TypedRecord
export type TypedRecord = { readonly [name: string]: TypedValue }

function readDomain(domain: unknown, { domain: expected }: Signable) {
  const keys = ['name', ...(expected.version === null ? [] : ['version']), 'chainId', 'verifyingContract']
  if (!isRecord(domain) || !hasKeys(domain, keys)) return null
  if (domain['name'] !== expected.name) return null
  if (expected.version !== null && domain['version'] !== expected.version) return null
  const chainId = readValue('uint256', domain['chainId'], {})
  const verifyingContract = readValue('address', domain['verifyingContract'], {})
  if (typeof chainId !== 'bigint' || typeof verifyingContract !== 'string') return null
  return { chainId, verifyingContract }
}

function domainType(hasVersion: boolean): readonly TypedMember[] {
  return [
    { name: 'name', type: 'string' },
    ...(hasVersion ? [{ name: 'version', type: 'string' }] : []),
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ]
}

function readStruct(type: string, written: unknown, types: Signable['types']): TypedRecord | null {
  const members = types[type] ?? []
  const names = members.map(({ name }) => name)
  if (!isRecord(written) || !hasKeys(written, names)) return null
  const read = members.map(({ name, type: of }) => [name, readValue(of, written[name], types)] as const)
  return read.some(([, value]) => value === null)
    ? null
    : Object.fromEntries(read.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])))
}

function readValue(type: string, value: unknown, types: Signable['types']): TypedValue | null {
  if (type.endsWith('[]')) {
    if (!Array.isArray(value) || value.length === 0 || value.length > mostEntries) return null
    const read = value.map((one: unknown) => readValue(type.slice(0, -2), one, types))
    return read.some((one) => one === null) ? null : read.flatMap((one) => (one === null ? [] : [one]))
  }
  if (type in types) return readStruct(type, value, types)
  if (type === 'address') return typeof value === 'string' && isAddress(value) ? value.toLowerCase() : null
  if (type === 'bytes' || type === 'bytes32') {
    const whole = typeof value === 'string' && isHex(value, { strict: true }) && value.length % 2 === 0
    return whole && (type === 'bytes' || value.length === 66) ? value.toLowerCase() : null
  }
  return readNumber(Number(type.slice('uint'.length)), value)
}

/** Plain decimals only: what a signer and a reader could take for different numbers is not read. */
function readNumber(bits: number, value: unknown): bigint | null {
  const isPlain =
    typeof value === 'bigint' ||
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'string' && /^(0|[1-9]\d{0,77})$/.test(value))
  if (!isPlain) return null
  const number = BigInt(value)
  return number >= 0n && number < 1n << BigInt(bits) ? number : null
}

const mostEntries = 20

function hasKeys(record: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  const keys = Reflect.ownKeys(record)
  return keys.length === names.length && names.every((name) => Object.hasOwn(record, name))
}
