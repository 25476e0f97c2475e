import canonicalize from 'canonicalize'
import { WalletError } from '../../wallet-error.ts'

/**
 * The one sequence of bytes that stands for a value of JSON (RFC 8785, in UTF-8): what is pinned, hashed and compared.
 * Throws `VALIDATION_CARD_INVALID` for what JSON cannot say.
 */
export function canonicalBytes(value: unknown): Uint8Array {
  const text = canonicalize(value)
  if (text === undefined) throw new WalletError('VALIDATION_CARD_INVALID', 'The value cannot be written as JSON.')
  return new TextEncoder().encode(text)
}
