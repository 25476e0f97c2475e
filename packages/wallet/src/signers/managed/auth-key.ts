import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { Secret } from '../../secret.ts'
import { invalidField, WalletError } from '../../wallet-error.ts'

/**
 * Signs the payload of a request: ECDSA P-256 over SHA-256, DER, in base64. A key that a KMS or an HSM holds signs through
 * such a function and never enters the process.
 */
export type AuthorizeRequest = (payload: Uint8Array) => Promise<string>

/** Reads the authorization key: base64 of PKCS#8 DER, as the provider shows it. Throws `VALIDATION_CONFIG_INVALID`. */
export function toAuthorizeRequest(key: string | Secret | AuthorizeRequest): AuthorizeRequest {
  if (typeof key === 'function') return authorizeElsewhere(key)
  const privateKey = readKey(key instanceof Secret ? key.reveal() : key)
  return async (payload) => sign('sha256', payload, privateKey).toString('base64')
}

function authorizeElsewhere(authorize: AuthorizeRequest): AuthorizeRequest {
  return async (payload) => {
    try {
      return await authorize(payload)
    } catch (cause) {
      const message = 'The function that authorizes requests to the wallet provider failed.'
      throw new WalletError('SIGNER_UNAVAILABLE', message, { cause })
    }
  }
}

function readKey(text: string): KeyObject {
  const refusal = invalidField('authPrivateKey', 'a P-256 key in base64 of PKCS#8 DER, or a function that signs')
  if (typeof text !== 'string') throw refusal
  const encoded = text.replace(/^wallet-(auth|api):/, '')
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(encoded)) throw refusal
  try {
    const key = createPrivateKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'pkcs8' })
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    // The library's message is not kept: it may speak of the key.
  }
  throw refusal
}
