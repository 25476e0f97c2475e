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
    throw new WalletError('SIGNING_INPUT_INVALID', `The ${what} is malformed; nothing was signed.`, { cause })
  }
}
