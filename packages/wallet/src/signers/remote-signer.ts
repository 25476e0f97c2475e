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
import {
  checkSignedMessage,
  checkSignedTransaction,
  checkSignedTypedData,
  requireComplete,
  requireMessage,
  requireTypedData,
  signable,
} from './signable.ts'
import { readSigningUrl } from '../service-urls.ts'
import { throwIfAborted } from '../with-deadline.ts'

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

/**
 * Asks a signer over JSON-RPC, once: a request is never repeated, and a redirect is not followed. Throws the `SIGNER_*`
 * codes, and `SIGNING_UNSUPPORTED` for a method the signer does not have.
 */
function openSigningRpc(endpoint: SigningEndpoint): SigningRpc {
  return async (method, params, signal) => {
    const { url, token, fetch: request } = endpoint
    const { host } = new URL(url)
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await request(url, {
        method: 'POST',
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      })
      requireOk(response, host)
      return resultOf(await readCapped(response, host), method, host)
    } catch (error) {
      if (error instanceof WalletError) throw error
      throwIfAborted(signal)
      const cause = new Error(withoutToken(error instanceof Error ? error.message : 'no answer', token))
      throw new WalletError('SIGNER_UNAVAILABLE', `The remote signer at ${host} does not answer.`, {
        cause,
        details: { status: null, host },
      })
    }
  }
}

export type SigningEndpoint = {
  readonly url: string
  readonly token: string | undefined
  readonly fetch: typeof fetch
}

export type SigningRpc = (method: string, params: readonly unknown[], signal?: AbortSignal) => Promise<unknown>

const timeoutMs = 20_000
const largestAnswerBytes = 1024 * 1024

function requireOk({ status, headers }: Response, host: string): void {
  if (status === 200) return
  const details = { status, host }
  if (status === 401 || status === 403) {
    throw new WalletError('SIGNER_UNAUTHORIZED', 'The remote signer does not accept the token.', { details })
  }
  if (status === 429) {
    const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
    throw new WalletError('SIGNER_RATE_LIMITED', 'The remote signer asks for fewer requests.', {
      details: { ...details, retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null },
    })
  }
  throw new WalletError('SIGNER_UNAVAILABLE', `The remote signer answered with status ${status}.`, { details })
}

async function readCapped(response: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > largestAnswerBytes) throw nonsense(host)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function resultOf(text: string, method: string, host: string): unknown {
  const { error, result } = asAnswer(text, host)
  if (error === undefined || error === null) return result
  const code = typeof error === 'object' && 'code' in error ? error.code : null
  const words = typeof error === 'object' && 'message' in error ? String(error.message).slice(0, 500) : ''
  const options = { cause: new Error(words), details: { rpcCode: typeof code === 'number' ? code : null } }
  if (code === -32_601) {
    throw new WalletError('SIGNING_UNSUPPORTED', `The remote signer has no method ${method}.`, {
      ...options,
      details: { ...options.details, kind: method },
    })
  }
  throw new WalletError('SIGNER_REFUSED', 'The remote signer refuses to sign this.', options)
}

function asAnswer(text: string, host: string): { readonly error?: unknown; readonly result?: unknown } {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // Falls through: what it says instead helps nobody.
  }
  throw nonsense(host)
}

function nonsense(host: string): WalletError {
  const message = 'The remote signer answered something that is no JSON-RPC.'
  return new WalletError('SIGNER_UNAVAILABLE', message, { details: { host } })
}

function withoutToken(text: string, token: string | undefined): string {
  return token === undefined || token === '' ? text : text.replaceAll(token, '[secret]')
}
