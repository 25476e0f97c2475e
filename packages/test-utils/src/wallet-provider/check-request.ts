import { createECDH, createPrivateKey, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { keccak256, stringToHex } from 'viem'
import { ProviderError, invalid } from './faults.ts'
import type { KeyQuorum } from './provider-state.ts'

/** Checks app id and app secret (Basic), and that both headers name the same app. Throws `ProviderError` 401. */
export function checkCaller({ headers }: ProviderRequest, app: { readonly id: string; readonly secret: string }): void {
  const expected = `Basic ${Buffer.from(`${app.id}:${app.secret}`).toString('base64')}`
  if (headers['privy-app-id'] !== app.id || !isEqual(headers['authorization'] ?? '', expected)) {
    throw new ProviderError(401, 'invalid_app_credentials', 'Invalid app ID or app secret.')
  }
}

/** Refuses a request whose expiry has passed. Throws `ProviderError` 400 or 401. */
export function checkExpiry({ headers }: ProviderRequest, nowMs: number): void {
  const expiry = headers['privy-request-expiry']
  if (expiry === undefined) return
  if (!/^\d{1,16}$/.test(expiry)) throw new ProviderError(400, 'invalid_data', 'privy-request-expiry is not valid.')
  if (Number(expiry) <= nowMs) throw new ProviderError(401, 'request_expired', 'The request has expired.')
}

/**
 * Which of the quorums authorized the request: the first whose threshold of different keys has signed the canonical JSON
 * (RFC 8785) of method, URL, body and the provider's headers. Throws `ProviderError` 401.
 */
export function checkAuthorization(request: ProviderRequest, quorums: readonly KeyQuorum[]): KeyQuorum {
  const payload = signedPayload(request)
  const signatures = (request.headers['privy-authorization-signature'] ?? '').split(',').filter((one) => one !== '')
  const authorized = quorums.find(
    ({ public_keys, authorization_threshold }) =>
      countSigners(public_keys, payload, signatures) >= authorization_threshold,
  )
  if (authorized !== undefined) return authorized
  throw new ProviderError(401, 'invalid_authorization_signature', 'No valid authorization signatures were provided.')
}

/** A request as the stand-in has read it. */
export type ProviderRequest = {
  readonly method: string
  /** Absolute, as its sender signs it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

const signedHeaders = ['privy-app-id', 'privy-idempotency-key', 'privy-request-expiry']

function signedPayload({ method, url, headers, body }: ProviderRequest): string {
  const own = signedHeaders.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0
  const signed = { version: 1, method, url, body: isEmpty ? '' : body, headers: Object.fromEntries(own) }
  return canonicalize(signed) ?? ''
}

function isEqual(actual: string, expected: string): boolean {
  const [left, right] = [Buffer.from(actual), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

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
