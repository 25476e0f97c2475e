import { isAddressEqual, isHex, type Address, type Hex } from 'viem'
import { ProviderRpcError, rpcCodes } from '../provider-rpc-error.ts'
import { field, type Fields } from '../read-field.ts'

/**
 * Reads the parameter of `wallet_sendCalls` (EIP-5792, version 2.0.0) strictly. Throws 4100 for another sender, 5710 for
 * another chain, 5740 for too many calls, 5700 for a capability that the wallet lacks and the client needs, and -32602 for
 * anything malformed, each naming the field.
 */
export function readCalls([value]: readonly unknown[], own: { address: Address; chainId: number }): CallsRequest {
  const fields = record(value, 'params[0]')
  requireKnown(fields, ['version', 'id', 'from', 'chainId', 'atomicRequired', 'calls', 'capabilities'])
  const { version, id, atomicRequired, calls } = fields
  if (version !== '2.0.0') throw field.invalid('version', '"2.0.0"')
  const chainId = field.quantity(fields, 'chainId')
  if (chainId === undefined) throw field.invalid('chainId', 'a quantity such as 0x1')
  if (chainId !== BigInt(own.chainId)) {
    throw new ProviderRpcError(rpcCodes.unsupportedChain, `The provider is on chain ${own.chainId}, not ${chainId}.`)
  }
  const from = isMissing(fields['from']) ? own.address : field.address(fields, 'from')
  if (!isAddressEqual(from, own.address)) {
    throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own.address}; it cannot send from ${from}.`)
  }
  if (typeof atomicRequired !== 'boolean') throw field.invalid('atomicRequired', 'true or false')
  if (!isMissing(id) && !isId(id)) throw field.invalid('id', 'text of 1 to 4096 bytes')
  if (!Array.isArray(calls) || calls.length === 0) throw field.invalid('calls', 'a list of at least one call')
  if (calls.length > mostCalls) {
    throw new ProviderRpcError(
      rpcCodes.tooManyCalls,
      `There are ${calls.length} calls; accepted: ${mostCalls} at most.`,
    )
  }
  const { paymasterService } = capabilities(fields, ['paymasterService'])
  return {
    id: isMissing(id) ? null : id,
    atomicRequired,
    calls: calls.map((call: unknown, index) => readCall(call, `calls[${index}]`)),
    paymaster: isMissing(paymasterService) ? null : readPaymaster(record(paymasterService, 'paymasterService')),
  }
}

export type CallsRequest = {
  readonly id: string | null
  readonly atomicRequired: boolean
  readonly calls: readonly BatchedCall[]
  /** ERC-7677's `paymasterService` of the client. */
  readonly paymaster: PaymasterService | null
}

export type BatchedCall = {
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly data: Hex
  readonly valueWei: bigint
}

export type PaymasterService = {
  readonly url: string
  readonly context: Readonly<Record<string, unknown>> | null
  readonly isOptional: boolean
}

const mostCalls = 64

function readCall(value: unknown, name: string): BatchedCall {
  const fields = record(value, name)
  requireKnown(fields, ['to', 'data', 'value', 'capabilities'])
  capabilities(fields, [])
  const to = isMissing(fields['to']) ? null : field.address(fields, 'to')
  const data = field.bytes(fields, 'data') ?? '0x'
  if (to === null && data === '0x')
    throw field.invalid(`${name}.to`, 'an address, or none beside the code of a contract')
  return { to, data, valueWei: field.quantity(fields, 'value') ?? 0n }
}

/** Whatever is not known and not marked optional is refused, as EIP-5792 asks. */
function capabilities(fields: Fields, known: readonly string[]): Fields {
  if (isMissing(fields['capabilities'])) return {}
  const wanted = record(fields['capabilities'], 'capabilities')
  for (const [name, value] of Object.entries(wanted)) {
    if (known.includes(name) || isMissing(value) || record(value, name)['optional'] === true) continue
    throw new ProviderRpcError(rpcCodes.unsupportedCapability, `The wallet lacks the capability ${name.slice(0, 60)}.`)
  }
  return wanted
}

function readPaymaster(fields: Fields): PaymasterService {
  const { url, context, optional } = fields
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw field.invalid('paymasterService.url', 'a URL with http or https')
  }
  return {
    url,
    context: isMissing(context) ? null : record(context, 'paymasterService.context'),
    isOptional: optional === true,
  }
}

function requireKnown(fields: Fields, known: readonly string[]): void {
  for (const name of Object.keys(fields)) if (!known.includes(name)) throw field.invalid(name, known.join(', '))
}

function record(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw field.invalid(name, 'an object')
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function isId(value: unknown): value is string {
  // Text with half a character has no bytes of its own: it would share those of another text.
  if (typeof value !== 'string' || value === '' || /\p{Surrogate}/u.test(value)) return false
  return (isHex(value) ? value.length / 2 - 1 : Buffer.byteLength(value)) <= 4_096
}
