import { inspect } from 'node:util'
import {
  type Address,
  bytesToHex,
  formatTransactionRequest,
  getAddress,
  getTransactionType,
  getTypesForEIP712Domain,
  isAddress,
  isHex,
  numberToHex,
  type SignableMessage,
  stringToHex,
  type TransactionSerializable,
  type TypedDataDefinition,
} from 'viem'
import { Secret } from '../secret.ts'
import type { Signer } from '../signer.ts'
import { invalidField, WalletError } from '../wallet-error.ts'
import { checkSignedMessage, checkSignedTransaction, checkSignedTypedData } from './check-signed.ts'
import { openSigningRpc } from './remote/signing-rpc.ts'
import { requireComplete, requireMessage, requireTypedData, signable } from './signable.ts'
import { readSigningUrl } from '../service-urls.ts'

/**
 * Signs with a key that another program holds and offers over JSON-RPC (`eth_signTransaction`, `personal_sign`,
 * `eth_signTypedData_v4`), as Web3Signer and its like do. What comes back is checked against what was asked. There is no
 * such method for EIP-7702 authorizations. Throws `VALIDATION_CONFIG_INVALID` naming the field.
 */
export function createRemoteSigner(config: RemoteSignerConfig): Signer {
  if (!isAddress(config.address, { strict: false })) throw invalidField('address', '0x and 40 hexadecimal digits')
  const address = getAddress(config.address)
  const token = config.token instanceof Secret ? config.token.reveal() : config.token
  const ask = openSigningRpc({ url: readSigningUrl(config.url, 'url'), token, fetch: config.fetch ?? fetch })
  return Object.freeze({
    kind: 'remote',
    signsAuthorizations: false,
    address,
    getAddress: async () => address,
    signTransaction: async (transaction, options) => {
      const wanted = await signable('transaction', () => transactionOf(requireComplete(transaction), address))
      const answer = await ask('eth_signTransaction', [wanted], options?.signal)
      return await checkSignedTransaction(rawOf(answer), transaction, address)
    },
    signMessage: async (message, options) => {
      const text = await signable('message', () => hexOf(requireMessage(message)))
      const answer = await ask('personal_sign', [text, address], options?.signal)
      return await checkSignedMessage(answer, message, address)
    },
    signTypedData: async (typedData, options) => {
      const text = await signable('typed data', () => textOf(requireTypedData(typedData)))
      const answer = await ask('eth_signTypedData_v4', [address, text], options?.signal)
      return await checkSignedTypedData(answer, typedData, address)
    },
    signAuthorization: async () => {
      throw new WalletError('SIGNING_UNSUPPORTED', 'A remote signer has no method for EIP-7702 authorizations.', {
        details: { kind: 'authorization' },
      })
    },
    [inspect.custom]: () => `Signer { kind: 'remote', address: '${address}' }`,
  } satisfies Signer & { readonly [inspect.custom]: () => string })
}

/** Where the program that signs is reached, and for which account it does. */
export type RemoteSignerConfig = {
  readonly url: string
  /** Of the key that signs. */
  readonly address: string
  /** Sent as bearer token. */
  readonly token?: string | Secret
  readonly fetch?: typeof fetch
}

/** The whole transaction: a signer that fills in what is absent would sign another one. */
function transactionOf(transaction: TransactionSerializable, from: Address): object {
  const { chainId, nonce, gas, value = 0n, data = '0x' } = transaction
  if (chainId === undefined || nonce === undefined || gas === undefined) {
    throw invalidField('transaction', 'one that is complete, with chainId, nonce and gas')
  }
  const type = getTransactionType(transaction)
  if (type === 'eip4844')
    throw new WalletError('SIGNING_UNSUPPORTED', 'A remote signer is given no blobs.', {
      details: { kind: 'blob transaction' },
    })
  const { to, accessList, gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList } = transaction
  const present = Object.entries({ to, accessList, gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList })
  const whole = Object.fromEntries(present.filter(([, member]) => member !== undefined && member !== null))
  return {
    ...formatTransactionRequest({ ...whole, from, nonce, gas, value, data }),
    type: typeBytes[type],
    chainId: numberToHex(chainId),
  }
}

const typeBytes: Readonly<Record<string, string>> = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip7702: '0x4' }

/** Web3Signer answers the bytes, a node an object that holds them. */
function rawOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'raw' in answer ? answer.raw : answer
}

function hexOf(message: SignableMessage): string {
  if (typeof message === 'string') return stringToHex(message)
  return isHex(message.raw) ? message.raw : bytesToHex(message.raw)
}

function textOf({ domain = {}, types, primaryType, message }: TypedDataDefinition): string {
  const whole = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types }
  return JSON.stringify({ domain, types: whole, primaryType, message }, (_name, member: unknown) => {
    if (typeof member === 'bigint') return member.toString()
    return member instanceof Uint8Array ? bytesToHex(member) : member
  })
}
