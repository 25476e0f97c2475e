import { inspect } from 'node:util'
import type { Hex } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { Secret } from '../secret.ts'
import type { Signer } from '../signer.ts'
import { requireComplete, signable } from './signable.ts'
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
    signMessage: (message) => signable('message', () => account.signMessage({ message })),
    signTypedData: (typedData) => signable('typed data', () => account.signTypedData(typedData)),
    signAuthorization: (authorization) => signable('authorization', () => account.signAuthorization(authorization)),
    [inspect.custom]: () => `Signer { kind: 'local', address: '${address}' }`,
  } satisfies Signer & { readonly [inspect.custom]: () => string })
}

function toAccount(privateKey: string | Secret): PrivateKeyAccount {
  const key = privateKey instanceof Secret ? privateKey.reveal() : privateKey
  const refusal = 'privateKey is not a valid key; accepted: 0x and 64 hexadecimal digits within the range of secp256k1.'
  if (typeof key !== 'string') {
    const message = 'privateKey is missing; accepted: 0x and 64 hexadecimal digits within the range of secp256k1.'
    throw new WalletError('VALIDATION_PRIVATE_KEY_INVALID', message, { details: { field: 'privateKey' } })
  }
  if (!isPrivateKey(key)) throw new WalletError('VALIDATION_PRIVATE_KEY_INVALID', refusal)
  try {
    return privateKeyToAccount(key)
  } catch {
    // The library's message may quote the key, so it is not kept as a cause.
    throw new WalletError('VALIDATION_PRIVATE_KEY_INVALID', refusal)
  }
}

function isPrivateKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text)
}
