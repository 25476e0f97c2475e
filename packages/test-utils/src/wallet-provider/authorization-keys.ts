import { createECDH, createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { keccak256, stringToHex } from 'viem'
import { invalid } from './read-fields.ts'

/** A P-256 pair out of a seed, in the provider's formats: base64 of PKCS#8 and of SPKI, both DER. */
export function authorizationKeyFrom(seed: string): AuthorizationKey {
  const pair = createECDH('prime256v1')
  const secret = Buffer.from(keccak256(stringToHex(seed)).slice(2), 'hex')
  pair.setPrivateKey(secret)
  const point = pair.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: secret.toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return {
    privateKey: key.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

/** A P-256 pair: PKCS#8 and SPKI, each DER in base64. */
export type AuthorizationKey = { readonly privateKey: string; readonly publicKey: string }

/** Reads a P-256 public key (base64 of SPKI DER). Throws `ProviderError` 400 naming the field. */
export function readPublicKey(text: string, field: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    // Falls through to the refusal: which part of the DER is broken helps nobody.
  }
  throw invalid(field, 'a P-256 public key, base64 of SPKI DER')
}

/** How many of a quorum's keys have signed the payload; a key that signed twice counts once. */
export function countSigners(keys: readonly string[], payload: string, signatures: readonly string[]): number {
  const bytes = Buffer.from(payload)
  return new Set(keys).size === 0
    ? 0
    : [...new Set(keys)].filter((key) => {
        const publicKey = readPublicKey(key, 'public_key')
        return signatures.some((signature) => isSignature(bytes, publicKey, signature))
      }).length
}

function isSignature(payload: Buffer, key: KeyObject, signature: string): boolean {
  try {
    return verify('sha256', payload, key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
