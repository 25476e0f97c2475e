import { getAddress, hexToBigInt, isAddress, isHex, type Address, type Hex } from 'viem'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'

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
