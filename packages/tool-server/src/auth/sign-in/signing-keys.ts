import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { PublishedKey, SignIns } from '@svc/store'

/**
 * The keys of tokens. Each server makes its own (P-256), keeps the private one in its memory, where nothing can read it out again, and publishes the
 * public one, by which all servers on the same state take its tokens: also after it was restarted, or has changed its key.
 */
export async function makeSigningKey(signIns: Pick<SignIns, 'publishKey'>, acceptedUntil: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: false })
  const { kty, crv, x, y } = await exportJWK(publicKey)
  const jwk = { kty, crv, x, y } as JWK
  const kid = await calculateJwkThumbprint(jwk)
  const publicJwk = JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' })
  await signIns.publishKey({ kid, publicJwk, acceptedUntil })
  return { kid, privateKey, publicJwk }
}

export type SigningKey = {
  readonly kid: string
  readonly privateKey: CryptoKey
  /** JSON, as published. */
  readonly publicJwk: string
}

/** Public keys as they were published, those whose time is over left out. Imports each once. */
export function createVerificationKeys(
  now: () => number,
): VerificationKeys & { update(keys: readonly PublishedKey[]): Promise<void> } {
  let known = new Map<string, KnownKey>()
  const isAccepted = ({ acceptedUntil }: PublishedKey) => acceptedUntil > now()
  return {
    find(kid) {
      const found = known.get(kid)
      return found !== undefined && isAccepted(found) ? found.key : null
    },
    jwks() {
      const keys = [...known.values()].filter(isAccepted).map(({ publicJwk }) => JSON.parse(publicJwk) as JWK)
      return JSON.stringify({ keys })
    },
    async update(keys) {
      const fresh = keys.map(async (published): Promise<readonly [string, KnownKey]> => {
        const key = known.get(published.kid)?.key ?? (await importKey(published))
        return [published.kid, { ...published, key }]
      })
      known = new Map(await Promise.all(fresh))
    },
  }
}

export type VerificationKeys = {
  /** `null` for an id under which no key is accepted. */
  find(kid: string): CryptoKey | null
  /** As JSON (RFC 7517). */
  jwks(): string
}

type KnownKey = PublishedKey & { readonly key: CryptoKey }

async function importKey({ publicJwk }: PublishedKey): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(publicJwk) as JWK, 'ES256')
  if (key instanceof Uint8Array) throw new TypeError('A published key is none of a key pair.')
  return key
}
