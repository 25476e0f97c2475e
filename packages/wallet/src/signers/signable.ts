import type { TransactionSerializable } from 'viem'
import { WalletError } from '../wallet-error.ts'

/**
 * Makes of what a caller wants signed what is signed, or the signature itself. What the library that reads it refuses is
 * `SIGNING_INPUT_INVALID`, with the library's words as the cause.
 */
export async function signable<Made>(what: string, make: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    if (cause instanceof WalletError) throw cause
    throw new WalletError('SIGNING_INPUT_INVALID', `The ${what} is malformed; nothing was signed.`, {
      cause,
      details: { what },
    })
  }
}

/**
 * Whether a transaction says on which chain, in which turn and with how much gas it runs: without its chain anybody could send it
 * on another. Throws `SIGNING_INPUT_INVALID` naming what is missing.
 */
export function requireComplete<Given extends TransactionSerializable>(transaction: Given): Given & Complete {
  const missing = (['chainId', 'nonce', 'gas'] as const).filter((field) => transaction[field] === undefined)
  if (missing.length === 0) return transaction as Given & Complete
  const message = `The transaction is not complete, and nothing was signed: it has no ${missing.join(', no ')}.`
  throw new WalletError('SIGNING_INPUT_INVALID', message, { details: { what: 'transaction', fields: missing } })
}

type Complete = { readonly chainId: number; readonly nonce: number; readonly gas: bigint }
