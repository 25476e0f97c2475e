import {
  bytesToHex,
  getTransactionType,
  type Hex,
  isHex,
  numberToHex,
  type SignableMessage,
  type TransactionSerializable,
  type TypedDataDefinition,
} from 'viem'
import type { AuthorizationToSign } from '../../signer.ts'
import { WalletError } from '../../wallet-error.ts'
import { requireComplete } from '../signable.ts'

/**
 * A transaction as the provider's `eth_signTransaction` takes it. Nonce and value are always there, zero included, since
 * the provider fills in what is absent. Throws `SIGNING_UNSUPPORTED` for blobs, `SIGNING_INPUT_INVALID` for a
 * transaction that is not complete.
 */
export function transactionToWire(transaction: TransactionSerializable): WireBody {
  const { chainId, nonce, gas, to, value = 0n, data = '0x' } = requireComplete(transaction)
  const type = wireTypes[getTransactionType(transaction)]
  if (type === undefined) {
    throw new WalletError(
      'SIGNING_UNSUPPORTED',
      'The wallet provider signs transactions of types 0, 1, 2 and 4 only.',
      {
        details: { kind: 'transaction', accepted: [0, 1, 2, 4] },
      },
    )
  }
  const wire = {
    type,
    chain_id: chainId,
    nonce,
    ...(to === undefined || to === null ? {} : { to }),
    value: numberToHex(value),
    data,
    gas_limit: numberToHex(gas),
    ...feesOf(transaction),
    ...accessListOf(transaction),
    ...authorizationsOf(transaction),
  }
  return { method: 'eth_signTransaction', chain_type: 'ethereum', params: { transaction: wire } }
}

/** A message as the provider's `personal_sign` takes it: text as it stands, bytes as hex without 0x. */
export function messageToWire(message: SignableMessage): WireBody {
  const params =
    typeof message === 'string'
      ? { message, encoding: 'utf-8' }
      : { message: (isHex(message.raw) ? message.raw : bytesToHex(message.raw)).slice(2), encoding: 'hex' }
  return { method: 'personal_sign', chain_type: 'ethereum', params }
}

/** Typed data as the provider's `eth_signTypedData_v4` takes it, whole numbers as hex. */
export function typedDataToWire({ domain = {}, types, primaryType, message }: TypedDataDefinition): WireBody {
  const { chainId } = domain
  const wire = {
    domain: plain({ ...domain, ...(chainId === undefined ? {} : { chainId: Number(chainId) }) }),
    types: plain(types),
    primary_type: primaryType,
    message: plain(message),
  }
  return { method: 'eth_signTypedData_v4', chain_type: 'ethereum', params: { typed_data: wire } }
}

/** An authorization as the provider's `eth_sign7702Authorization` takes it. */
export function authorizationToWire({ contractAddress, chainId, nonce }: AuthorizationToSign): WireBody {
  const params = { contract: contractAddress, chain_id: chainId, nonce }
  return { method: 'eth_sign7702Authorization', chain_type: 'ethereum', params }
}

/** Plain JSON, so that its canonical form is the same on both sides. */
export type WireBody = {
  readonly method: string
  readonly chain_type: 'ethereum'
  readonly params: Readonly<Record<string, unknown>>
}

const wireTypes: Readonly<Record<string, number>> = { legacy: 0, eip2930: 1, eip1559: 2, eip7702: 4 }

function feesOf({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: TransactionSerializable): Record<string, Hex> {
  if (gasPrice !== undefined) return { gas_price: numberToHex(gasPrice) }
  return {
    max_fee_per_gas: numberToHex(maxFeePerGas ?? 0n),
    max_priority_fee_per_gas: numberToHex(maxPriorityFeePerGas ?? 0n),
  }
}

/** Only where there is one: the provider's reference does not name the field, and an answer without it is refused. */
function accessListOf({ accessList = [] }: TransactionSerializable): Record<string, unknown> {
  if (accessList.length === 0) return {}
  return { access_list: accessList.map(({ address, storageKeys }) => ({ address, storage_keys: [...storageKeys] })) }
}

function authorizationsOf({ authorizationList }: TransactionSerializable): Record<string, unknown> {
  if (authorizationList === undefined) return {}
  return {
    authorization_list: authorizationList.map(({ address, chainId, nonce, r, s, yParity, v }) => ({
      contract: address,
      chain_id: chainId,
      nonce,
      r,
      s,
      y_parity: yParity ?? (v === 28n ? 1 : 0),
    })),
  }
}

/** JSON of what typed data may hold. Throws `SIGNING_UNSUPPORTED` for anything else. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value < 0n ? `${value}` : numberToHex(value)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]))
  }
  throw new WalletError('SIGNING_UNSUPPORTED', 'The typed data holds a value that has no form in JSON.', {
    details: { kind: 'typed data' },
  })
}
