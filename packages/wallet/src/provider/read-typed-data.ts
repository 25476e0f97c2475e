import { validateTypedData, type TypedDataDefinition } from 'viem'
import { isRecord } from '../shape.ts'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'

/**
 * Reads the typed data of `eth_signTypedData_v4`, as text or as an object. Throws -32602 for what EIP-712 cannot hash and
 * for a domain of another chain.
 */
export function readTypedData(value: unknown, chainId: number): TypedDataDefinition {
  const { domain, types, primaryType, message } = parse(value)
  if (!isRecord(domain) || !isRecord(types) || !isRecord(message) || typeof primaryType !== 'string') {
    throw invalid('typed data has domain, types, primaryType and message')
  }
  const { EIP712Domain: listed, ...own } = types
  if (listed !== undefined && !listsAll(listed, domain)) throw invalid('EIP712Domain lists what its domain has')
  const definition = { domain: withChain(domain, chainId), types: own, primaryType, message }
  if (!isDefinition(definition)) throw invalid('EIP-712 can hash it')
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
  throw invalid('it is an object, or JSON of one')
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
  if (toNumber(stated) !== chainId) throw invalid(`its domain is of chain ${chainId}`)
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

function invalid(rule: string): ProviderRpcError {
  return new ProviderRpcError(rpcCodes.invalidParams, `The typed data is not valid; accepted when ${rule}.`)
}
