import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { invalidField } from '../../wallet-error.ts'

/** A P-256 pair as the wallet provider takes it: PKCS#8 and SPKI, each DER in base64. */
export type AuthorizationKey = { readonly privateKey: string; readonly publicKey: string }

/** Makes a new pair. */
export function createAuthorizationKey(): AuthorizationKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

/**
 * A pair out of its private half: PEM, or base64 of PKCS#8 DER. Throws `VALIDATION_CONFIG_INVALID` naming `field`, and quotes nothing.
 */
export function readAuthorizationKey(text: string, field: string): AuthorizationKey {
  const read = readKey(text, field)
  if (read.type !== 'private') throw invalidField(field, 'a private P-256 key: PEM, or base64 of PKCS#8 DER')
  return {
    privateKey: read.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: publicHalf(read),
  }
}

/**
 * The public half of a P-256 key, base64 of SPKI DER, out of a private or public key: PEM, or base64 of its DER. Throws
 * `VALIDATION_CONFIG_INVALID` naming `field`, and quotes nothing.
 */
export function readAuthorizationPublicKey(text: string, field: string): string {
  return publicHalf(readKey(text, field))
}

function publicHalf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key
  return half.export({ format: 'der', type: 'spki' }).toString('base64')
}

function readKey(text: string, field: string): KeyObject {
  const read = readers.map((reader) => attempt(() => reader(text.trim()))).find((key) => key !== null)
  if (read?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return read
  throw invalidField(field, 'a P-256 key: PEM, or base64 of PKCS#8 or SPKI DER')
}

const der = (text: string) => Buffer.from(text.replace(/^wallet-(auth|api):/, ''), 'base64')

const readers = [
  (text: string) => createPrivateKey({ key: der(text), format: 'der', type: 'pkcs8' }),
  (text: string) => createPublicKey({ key: der(text), format: 'der', type: 'spki' }),
  (text: string) => (text.includes('PRIVATE KEY') ? createPrivateKey(text) : createPublicKey(text)),
]

function attempt<Value>(work: () => Value): Value | null {
  try {
    return work()
  } catch {
    return null
  }
}
