import canonicalize from 'canonicalize'
import { type Abi, decodeFunctionData, type Hex, isHex, size, slice, stringToHex, toFunctionSelector } from 'viem'
import type { PolicyField } from './policy.ts'
import { asObject } from './read-fields.ts'
import type { WireRequest } from './wire-request.ts'

/**
 * The value of a request that a condition speaks of, as text: whole numbers in decimal, everything else as it stands.
 * `null` where the request has no such value, and a condition over nothing does not hold.
 */
export function readValue(field: PolicyField, request: WireRequest, nowMs: number): string | null {
  switch (field.field_source) {
    case 'ethereum_transaction':
      return request.kind === 'transaction' ? ofTransaction(field.field, request) : null
    case 'ethereum_calldata':
      return request.kind === 'transaction' ? ofCalldata(field, request.transaction.data) : null
    case 'ethereum_typed_data_domain':
      return request.kind === 'typed-data' ? ofDomain(field.field, request.typedData.domain) : null
    case 'ethereum_typed_data_message':
      return request.kind === 'typed-data' ? ofMessage(field, request) : null
    case 'ethereum_7702_authorization':
      return request.kind === 'authorization' ? request.authorization.contractAddress : null
    case 'message':
      return request.kind === 'message' ? ofSigned(field.field, request.message) : null
    case 'system':
      return `${Math.floor(nowMs / 1000)}`
    case 'reference':
      break
  }
  return null
}

type Of<K extends WireRequest['kind']> = Extract<WireRequest, { readonly kind: K }>

function ofTransaction(field: string, { transaction }: Of<'transaction'>): string | null {
  if (field === 'to') return transaction.to ?? null
  return `${field === 'value' ? (transaction.value ?? 0n) : transaction.chainId}`
}

/** `function_name`, or `function.argument`, going on by names into tuples and by numbers into arrays. */
function ofCalldata({ abi, field }: PolicyField, data: Hex | undefined): string | null {
  if (data === undefined || size(data) < 4 || !isAbi(abi)) return null
  const selector = slice(data, 0, 4)
  const item = abi.find((one) => one.type === 'function' && toFunctionSelector(one) === selector)
  if (item?.type !== 'function') return null
  try {
    const { args } = decodeFunctionData({ abi: [item], data })
    if (field === 'function_name') return item.name
    const [name, argument, ...path] = field.split('.')
    const index = item.inputs.findIndex((input) => input.name === argument)
    return name === item.name && index >= 0 ? asText(walk(args?.[index], path)) : null
  } catch {
    return null
  }
}

function ofDomain(field: string, domain: Readonly<Record<string, unknown>>): string | null {
  return asText(domain[field.startsWith('chain') ? 'chainId' : 'verifyingContract'])
}

/** Holds for data of the very types the rule names: the same field of another struct is another thing. */
function ofMessage({ typed_data, field }: PolicyField, { typedData }: Of<'typed-data'>): string | null {
  const named = asObject(typed_data, 'typed_data')
  if (named['primary_type'] !== typedData.primaryType) return null
  const types = Object.entries(asObject(named['types'], 'types')).filter(([name]) => name !== 'EIP712Domain')
  if (!types.some(([name]) => name === typedData.primaryType)) return null
  const isSame = types.every(([name, members]) => canonicalize(members) === canonicalize(typedData.types[name] ?? null))
  return isSame ? asText(walk(typedData.message, field.split('.'))) : null
}

function ofSigned(field: string, message: string | { readonly raw: Hex }): string {
  const bytes = typeof message === 'string' ? stringToHex(message) : message.raw
  if (field === 'byte_length') return `${size(bytes)}`
  return typeof message === 'string' ? message : message.raw
}

function walk(value: unknown, path: readonly string[]): unknown {
  let inner = value
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return null
    inner = Reflect.get(inner, step)
  }
  return inner
}

function asText(value: unknown): string | null {
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  return typeof value === 'string' || isHex(value) ? value : null
}

function isAbi(value: unknown): value is Abi {
  return Array.isArray(value)
}
