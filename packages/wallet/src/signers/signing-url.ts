import { WalletError } from '../wallet-error.ts'

/**
 * Reads the URL of a backend that signs: https, or http on this machine, since credentials go with every request. Throws
 * `VALIDATION_CONFIG_INVALID` naming the field.
 */
export function readSigningUrl(text: string, field: string): string {
  const accepted = 'an https URL, or http on this machine, of origin and path alone'
  if (typeof text !== 'string' || !URL.canParse(text)) throw invalidField(field, accepted)
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLocal)
  if (!isSafe || [username, password, search, hash].some((part) => part !== '')) throw invalidField(field, accepted)
  return text
}

/** The refusal of a field, which says what is accepted and does not repeat what was given. */
export function invalidField(field: string, accepted: string): WalletError {
  return new WalletError('VALIDATION_CONFIG_INVALID', `${field} is not valid; accepted: ${accepted}.`)
}
