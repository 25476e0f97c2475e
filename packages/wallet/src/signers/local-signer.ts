import { inspect } from 'node:util'
import type { Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { faultOfWord, Secret } from '../secret.ts'
import type { Signer } from '../signer.ts'
import { requireAuthorization, requireComplete, requireMessage, requireTypedData, signable } from './signable.ts'
import { WalletError } from '../wallet-error.ts'

/**
 * Signs with a key in the memory of this process: no enclave, no policy. For development and tests. Throws
 * `VALIDATION_PRIVATE_KEY_INVALID`.
 */
export function createLocalSigner(privateKey: string | Secret): Signer {
  const account = toAccount(privateKey)
  const { address } = account
  return Object.freeze({
    kind: 'local',
    address,
    getAddress: async () => address,
    signTransaction: (transaction) =>
      signable('transaction', () => account.signTransaction(requireComplete(transaction))),
    signMessage: (message) => signable('message', () => account.signMessage({ message: requireMessage(message) })),
    signTypedData: (typedData) => signable('typed data', () => account.signTypedData(requireTypedData(typedData))),
    signAuthorization: (authorization) =>
      signable('authorization', () => account.signAuthorization(requireAuthorization(authorization))),
    [inspect.custom]: () => `Signer { kind: 'local', address: '${address}' }`,
  } satisfies Signer & { readonly [inspect.custom]: () => string })
}

function toAccount(privateKey: string | Secret): PrivateKeyAccount {
  const key = privateKey instanceof Secret ? privateKey.reveal() : privateKey
  if (!isPrivateKey(key)) throw refusal(faultOf(key))
  try {
    return privateKeyToAccount(key)
  } catch {
    // The library's message may quote the key, so it is not kept as a cause.
    throw refusal('is outside the range of secp256k1')
  }
}

function refusal(fault: string): WalletError {
  const message = `privateKey ${fault}; accepted: 0x and 64 hexadecimal digits within the range of secp256k1.`
  return new WalletError('VALIDATION_PRIVATE_KEY_INVALID', message, { details: { field: 'privateKey' } })
}

/** What is wrong with a key, without a character of it. */
function faultOf(key: unknown): string {
  const fault = faultOfWord(key)
  if (fault !== null || typeof key !== 'string') return fault ?? 'is no text'
  if (!key.startsWith('0x')) return 'lacks its 0x'
  return /^0x[0-9a-fA-F]*$/.test(key) ? `has ${key.length - 2} digits` : 'has other characters than hexadecimal digits'
}

function isPrivateKey(text: unknown): text is Hex {
  return typeof text === 'string' && /^0x[0-9a-fA-F]{64}$/.test(text)
}
