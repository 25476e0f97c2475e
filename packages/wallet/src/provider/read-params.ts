import {
  isAddressEqual,
  type Address,
  type Hex,
  getAddress,
  hexToBigInt,
  isAddress,
  isHex,
  validateTypedData,
  type TypedDataDefinition,
} from 'viem'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'
import { isRecord } from '../shape.ts'

/**
 * Reads the parameter of `eth_sendTransaction` strictly: nothing is guessed. Throws code 4100 for another sender, 4901 for
 * another chain, -32602 for anything malformed, each naming the field.
 */
export function readTransaction(params: readonly unknown[], own: { address: Address; chainId: number }): SendRequest {
  const [value] = params
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw field.invalid('params[0]', 'a transaction')
  }
  const fields: Readonly<Record<string, unknown>> = { ...value }
  for (const name of Object.keys(fields)) if (!known.has(name)) throw field.invalid(name, [...known].join(', '))
  const from = fields['from'] === undefined ? own.address : field.address(fields, 'from')
  if (!isAddressEqual(from, own.address)) {
    throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own.address}; it cannot send from ${from}.`)
  }
  const chainId = field.quantity(fields, 'chainId')
  if (chainId !== undefined && chainId !== BigInt(own.chainId)) {
    throw new ProviderRpcError(rpcCodes.chainDisconnected, `The provider is on chain ${own.chainId}, not ${chainId}.`)
  }
  if (Array.isArray(fields['accessList']) && fields['accessList'].length > 0) throw field.invalid('accessList', 'none')
  const to = fields['to'] === undefined || fields['to'] === null ? null : field.address(fields, 'to')
  const data = either(fields, 'data', 'input', field.bytes) ?? '0x'
  // Without code it would be value locked away for good, and is a forgotten recipient as a rule.
  if (to === null && data === '0x') throw field.invalid('to', 'an address, or none beside the code of a contract')
  requireOneKindOfFee(fields)
  return {
    to,
    data,
    valueWei: field.quantity(fields, 'value') ?? 0n,
    gasLimit: either(fields, 'gas', 'gasLimit', field.quantity) ?? null,
    maxFeePerGas: field.quantity(fields, 'maxFeePerGas') ?? field.quantity(fields, 'gasPrice') ?? null,
    maxPriorityFeePerGas: field.quantity(fields, 'maxPriorityFeePerGas') ?? field.quantity(fields, 'gasPrice') ?? null,
    nonce: field.quantity(fields, 'nonce') ?? null,
  }
}

export type SendRequest = {
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint | null
  readonly maxFeePerGas: bigint | null
  readonly maxPriorityFeePerGas: bigint | null
  /** The one that the client expects; the sender allocates it. */
  readonly nonce: bigint | null
}

const known: ReadonlySet<string> = new Set([
  'from',
  'to',
  'data',
  'input',
  'value',
  'gas',
  'gasLimit',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'chainId',
  'nonce',
  'type',
  'accessList',
])

/** What is signed is of type 2. A price for all gas serves as both its fees, of whatever type; the two kinds at once contradict each other. */
function requireOneKindOfFee(fields: Fields): void {
  const type = fields['type']
  const isKnown = type === undefined || type === null || (typeof type === 'string' && /^0x0?[0-2]$/.test(type))
  if (!isKnown) throw field.invalid('type', '0x0, 0x1 or 0x2')
  const hasPrice = field.quantity(fields, 'gasPrice') !== undefined
  for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas']) {
    if (field.quantity(fields, name) === undefined) continue
    if (hasPrice) throw field.invalid(name, 'none beside gasPrice')
    if (typeof type === 'string' && !type.endsWith('2'))
      throw field.invalid(name, `none in a transaction of type ${type}`)
  }
  if (hasPrice && typeof type === 'string' && type.endsWith('2')) {
    throw field.invalid(
      'gasPrice',
      `maxFeePerGas and maxPriorityFeePerGas in its place, in a transaction of type ${type}`,
    )
  }
}

/** Two names of one field, which must agree when both are there. */
function either<Value extends bigint | Hex>(
  fields: Fields,
  one: string,
  other: string,
  read: (fields: Fields, name: string) => Value | undefined,
): Value | undefined {
  const [first, second] = [read(fields, one), read(fields, other)]
  if (first !== undefined && second !== undefined && first !== second) throw field.invalid(other, `the same as ${one}`)
  return first ?? second
}

/** Reads one member of what a client sent, strictly. `undefined` and `null` are no value. Throws -32602 naming the field. */
export const field = { address, quantity, bytes, invalid } as const

export type Fields = Readonly<Record<string, unknown>>

function address(fields: Fields, name: string): Address {
  const value = fields[name]
  if (typeof value !== 'string' || !isAddress(value, { strict: false })) throw invalid(name, 'an address')
  return getAddress(value)
}

function quantity(fields: Fields, name: string): bigint | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (!isHex(value) || !/^0x(0|[1-9a-f][0-9a-f]{0,63})$/i.test(value)) throw invalid(name, 'a quantity such as 0x1a')
  return hexToBigInt(value)
}

function bytes(fields: Fields, name: string): Hex | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  if (!isHex(value) || value.length % 2 !== 0) throw invalid(name, 'bytes as hex')
  return value
}

function invalid(name: string, accepted: string): ProviderRpcError {
  return new ProviderRpcError(rpcCodes.invalidParams, `${name} is not valid; accepted: ${accepted}.`)
}

/**
 * Reads the typed data of `eth_signTypedData_v4`, as text or as an object. Throws -32602 for what EIP-712 cannot hash and
 * for a domain of another chain.
 */
export function readTypedData(value: unknown, chainId: number): TypedDataDefinition {
  const { domain, types, primaryType, message } = parse(value)
  if (!isRecord(domain) || !isRecord(types) || !isRecord(message) || typeof primaryType !== 'string') {
    throw invalidTypedData('typed data has domain, types, primaryType and message')
  }
  const { EIP712Domain: listed, ...own } = types
  if (listed !== undefined && !listsAll(listed, domain))
    throw invalidTypedData('EIP712Domain lists what its domain has')
  const definition = { domain: withChain(domain, chainId), types: own, primaryType, message }
  if (!isDefinition(definition)) throw invalidTypedData('EIP-712 can hash it')
  return definition
}

function parse(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : null
    if (isRecord(parsed)) return parsed
  } catch {
    // Said below.
  }
  throw invalidTypedData('it is an object, or JSON of one')
}

function isDefinition(value: object): value is TypedDataDefinition {
  try {
    validateTypedData(value as TypedDataDefinition)
    return true
  } catch {
    return false
  }
}

/** The chain as a number, however it was written: as text it would not be part of the hash. */
function withChain(domain: Readonly<Record<string, unknown>>, chainId: number): Readonly<Record<string, unknown>> {
  const stated = domain['chainId']
  if (stated === undefined) return domain
  if (toNumber(stated) !== chainId) throw invalidTypedData(`its domain is of chain ${chainId}`)
  return { ...domain, chainId }
}

function listsAll(listed: unknown, domain: Readonly<Record<string, unknown>>): boolean {
  const names = Array.isArray(listed) ? listed.map((field: unknown) => (isRecord(field) ? field['name'] : null)) : []
  const own = Object.keys(domain).filter((name) => domain[name] !== undefined)
  return names.length === own.length && own.every((name) => names.includes(name))
}

function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint'
    ? Number(value)
    : Number.NaN
}

function invalidTypedData(rule: string): ProviderRpcError {
  return new ProviderRpcError(rpcCodes.invalidParams, `The typed data is not valid; accepted when ${rule}.`)
}
