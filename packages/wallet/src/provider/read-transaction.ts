import { getAddress, hexToBigInt, isAddress, isAddressEqual, isHex, type Address, type Hex } from 'viem'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'

/**
 * Reads the parameter of `eth_sendTransaction` strictly: nothing is guessed. Throws code 4100 for another sender, 4901 for
 * another chain, -32602 for anything malformed, each naming the field.
 */
export function readTransaction(params: readonly unknown[], own: { address: Address; chainId: number }): SendRequest {
  const [value] = params
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('params[0]', 'a transaction')
  const fields: Readonly<Record<string, unknown>> = { ...value }
  for (const name of Object.keys(fields)) if (!known.has(name)) throw invalid(name, [...known].join(', '))
  const from = fields['from'] === undefined ? own.address : address(fields, 'from')
  if (!isAddressEqual(from, own.address)) {
    throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own.address}; it cannot send from ${from}.`)
  }
  const chainId = quantity(fields, 'chainId')
  if (chainId !== undefined && chainId !== BigInt(own.chainId)) {
    throw new ProviderRpcError(rpcCodes.chainDisconnected, `The provider is on chain ${own.chainId}, not ${chainId}.`)
  }
  if (Array.isArray(fields['accessList']) && fields['accessList'].length > 0) throw invalid('accessList', 'none')
  const to = fields['to'] === undefined || fields['to'] === null ? null : address(fields, 'to')
  const data = either(fields, 'data', 'input', bytes) ?? '0x'
  // Without code it would be value locked away for good, and is a forgotten recipient as a rule.
  if (to === null && data === '0x') throw invalid('to', 'an address, or none beside the code of a contract as data')
  return {
    to,
    data,
    valueWei: quantity(fields, 'value') ?? 0n,
    gasLimit: either(fields, 'gas', 'gasLimit', quantity) ?? null,
    maxFeePerGas: quantity(fields, 'maxFeePerGas') ?? quantity(fields, 'gasPrice') ?? null,
    maxPriorityFeePerGas: quantity(fields, 'maxPriorityFeePerGas') ?? quantity(fields, 'gasPrice') ?? null,
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
}

/** `nonce` is taken and not followed: the wallet's journal counts. */
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

type Fields = Readonly<Record<string, unknown>>

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

/** Two names of one field, which must agree when both are there. */
function either<Value extends bigint | Hex>(
  fields: Fields,
  one: string,
  other: string,
  read: (fields: Fields, name: string) => Value | undefined,
): Value | undefined {
  const [first, second] = [read(fields, one), read(fields, other)]
  if (first !== undefined && second !== undefined && first !== second) throw invalid(other, `the same as ${one}`)
  return first ?? second
}

function invalid(field: string, accepted: string): ProviderRpcError {
  return new ProviderRpcError(rpcCodes.invalidParams, `${field} is not valid; accepted: ${accepted}.`)
}
