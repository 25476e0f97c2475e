import { isAddressEqual, type Address, type Hex } from 'viem'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'
import { field, type Fields } from './read-field.ts'

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
