import {
  type Address,
  getAddress,
  type Hex,
  isAddress,
  isHex,
  type SignedAuthorization,
  type TransactionSerializable,
} from 'viem'
import { asList, asObject, asQuantity, asText, type Fields, invalid, oneOf, onlyKnown } from './faults.ts'

/** Reads the body of `POST /v1/wallets/{id}/rpc`. Throws `ProviderError` 400 naming the field. */
export function readWireRequest(body: unknown): WireRequest {
  const fields = asObject(body, 'body')
  const method = asText(fields['method'], 'method')
  if (fields['chain_type'] !== undefined) oneOf(fields['chain_type'], ['ethereum'], 'chain_type')
  const params = asObject(fields['params'] ?? {}, 'params')
  switch (method) {
    case 'personal_sign':
      return { kind: 'message', method, message: readMessage(params) }
    case 'eth_signTypedData_v4':
      return { kind: 'typed-data', method, typedData: readTypedData(params) }
    case 'eth_signTransaction':
      return { kind: 'transaction', method, transaction: readTransaction(params) }
    case 'eth_sign7702Authorization':
      return { kind: 'authorization', method, authorization: readAuthorization(params) }
    default:
      return { kind: 'other', method }
  }
}

export type WireRequest =
  | { readonly kind: 'message'; readonly method: string; readonly message: string | { readonly raw: Hex } }
  | { readonly kind: 'typed-data'; readonly method: string; readonly typedData: WireTypedData }
  | { readonly kind: 'transaction'; readonly method: string; readonly transaction: WireTransaction }
  | { readonly kind: 'authorization'; readonly method: string; readonly authorization: WireAuthorization }
  /** Known or not, it is signed by nobody here. */
  | { readonly kind: 'other'; readonly method: string }

export type WireTypedData = {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

export type WireAuthorization = {
  readonly contractAddress: Address
  readonly chainId: number
  readonly nonce: number
}

export type WireTransaction = TransactionSerializable & { readonly chainId: number }

function readMessage(params: Fields): string | { readonly raw: Hex } {
  const encoding = oneOf(params['encoding'], ['utf-8', 'hex'], 'params.encoding')
  const message = params['message']
  if (typeof message !== 'string') throw invalid('params.message', 'a string')
  return encoding === 'utf-8' ? message : { raw: asHex(`0x${message.replace(/^0x/, '')}`, 'params.message') }
}

function readTypedData(params: Fields): WireTypedData {
  const fields = asObject(params['typed_data'], 'params.typed_data')
  onlyKnown(fields, ['domain', 'types', 'primary_type', 'message'], 'params.typed_data')
  const types = Object.entries(asObject(fields['types'], 'types')).map(([name, members]) => [
    name,
    asList(members, `types.${name}`).map((member) => {
      const { name: of, type } = asObject(member, `types.${name}`)
      return { name: asText(of, `types.${name}.name`), type: asText(type, `types.${name}.type`) }
    }),
  ])
  return {
    domain: asObject(fields['domain'], 'domain'),
    types: Object.fromEntries(types),
    primaryType: asText(fields['primary_type'], 'primary_type'),
    message: asObject(fields['message'], 'message'),
  }
}

const transactionFields = [
  'type',
  'chain_id',
  'nonce',
  'to',
  'from',
  'value',
  'data',
  'gas_limit',
  'gas_price',
  'max_fee_per_gas',
  'max_priority_fee_per_gas',
  'access_list',
  'authorization_list',
]

const transactionTypes = { 0: 'legacy', 1: 'eip2930', 2: 'eip1559', 4: 'eip7702' } as const

/** Whatever is absent would be filled in from the chain by the real provider: here it is asked for. */
function readTransaction(params: Fields): WireTransaction {
  const fields = asObject(params['transaction'], 'params.transaction')
  onlyKnown(fields, transactionFields, 'params.transaction')
  const quantity = (name: string) => asQuantity(fields[name], `transaction.${name}`)
  const type = Number(quantity('type'))
  if (type !== 0 && type !== 1 && type !== 2 && type !== 4) throw invalid('transaction.type', '0, 1, 2 or 4')
  const common = {
    chainId: Number(quantity('chain_id')),
    nonce: Number(quantity('nonce')),
    gas: quantity('gas_limit'),
    value: quantity('value'),
    data: asHex(fields['data'] ?? '0x', 'transaction.data'),
    ...(fields['to'] === undefined ? {} : { to: asAddress(fields['to'], 'transaction.to') }),
  }
  if (type === 0) return { ...common, type: transactionTypes[type], gasPrice: quantity('gas_price') }
  const accessList = readAccessList(fields['access_list'] ?? [])
  if (type === 1) return { ...common, type: transactionTypes[type], accessList, gasPrice: quantity('gas_price') }
  const priced = {
    ...common,
    accessList,
    maxFeePerGas: quantity('max_fee_per_gas'),
    maxPriorityFeePerGas: quantity('max_priority_fee_per_gas'),
  }
  if (type === 2) return { ...priced, type: transactionTypes[type] }
  const authorizationList = asList(fields['authorization_list'], 'transaction.authorization_list').map(readSigned)
  return { ...priced, type: transactionTypes[type], authorizationList }
}

function readAccessList(value: unknown) {
  return asList(value, 'transaction.access_list').map((entry) => {
    const { address, storage_keys: keys } = asObject(entry, 'access_list')
    return {
      address: asAddress(address, 'access_list.address'),
      storageKeys: asList(keys, 'access_list.storage_keys').map((key) => asHex(key, 'access_list.storage_keys')),
    }
  })
}

function readSigned(value: unknown): SignedAuthorization {
  const fields = asObject(value, 'authorization_list')
  return {
    address: asAddress(fields['contract'], 'authorization_list.contract'),
    chainId: Number(asQuantity(fields['chain_id'], 'authorization_list.chain_id')),
    nonce: Number(asQuantity(fields['nonce'], 'authorization_list.nonce')),
    r: asHex(fields['r'], 'authorization_list.r'),
    s: asHex(fields['s'], 'authorization_list.s'),
    yParity: Number(asQuantity(fields['y_parity'], 'authorization_list.y_parity')),
  }
}

function readAuthorization(params: Fields): WireAuthorization {
  onlyKnown(params, ['contract', 'chain_id', 'nonce'], 'params')
  return {
    contractAddress: asAddress(params['contract'], 'params.contract'),
    chainId: Number(asQuantity(params['chain_id'], 'params.chain_id')),
    nonce: Number(asQuantity(params['nonce'], 'params.nonce')),
  }
}

function asHex(value: unknown, field: string): Hex {
  if (isHex(value)) return value
  throw invalid(field, '0x and hexadecimal digits')
}

function asAddress(value: unknown, field: string): Address {
  if (typeof value === 'string' && isAddress(value, { strict: false })) return getAddress(value)
  throw invalid(field, 'an address')
}
