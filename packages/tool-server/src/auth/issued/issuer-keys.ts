import { isRecord } from '@svc/runtime'
import { boundedBytes, withDeadline } from '@svc/wallet/core'
import { type CryptoKey, importJWK, type JWK } from 'jose'

/**
 * The public keys of an issuer elsewhere, kept by their ids. They are fetched when they are first needed, again once they are old, and for an id
 * that is not among them or a signature that is not by the key of its id, twice in a minute at the most: an attacker who makes either up has
 * nothing asked of the issuer. Keys that it no longer publishes are forgotten with the next fetch, also where it has given their id to another
 * one; while it does not answer, those of the last day stand.
 */
export function createIssuerKeys({ source, algorithms, fetch, now, onError }: IssuerKeysOptions): IssuerKeys {
  let held: { readonly keys: ReadonlyMap<string, IssuerKey>; readonly at: number } | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null

  async function ask(): Promise<void> {
    askedAt = now()
    try {
      const document = await getJson(await placeOf(source, fetch), fetch)
      held = { keys: await importKeys(document, algorithms), at: now() }
    } catch (error) {
      onError(error)
    }
  }

  /** One fetch for all who wait for it. */
  function refresh(): Promise<void> {
    if (asking === null && now() - askedAt < pauseMs) return Promise.resolve()
    asking ??= ask().finally(() => (asking = null))
    return asking
  }

  const ageMs = () => (held === null ? Number.POSITIVE_INFINITY : now() - held.at)
  return {
    has(kid, algorithm, { material }) {
      const isThere = held?.keys.get(nameOf(algorithm, kid))?.material === material
      // One answer of the issuer without it may have been a mistake.
      if (!isThere || ageMs() > freshMs) void refresh()
      return isThere && ageMs() <= staleMs
    },
    async find(kid, algorithm) {
      if (ageMs() > freshMs || held?.keys.has(nameOf(algorithm, kid)) !== true) await refresh()
      if (ageMs() > staleMs) return 'unknown-now'
      return held?.keys.get(nameOf(algorithm, kid)) ?? null
    },
    async findReplacement(kid, algorithm, { material }) {
      await refresh()
      const found = held?.keys.get(nameOf(algorithm, kid))
      return found === undefined || found.material === material ? null : found
    },
  }
}

export type IssuerKeys = {
  /** `null` where the issuer has no such key; `unknown-now` where its keys could not be read. */
  find(kid: string, algorithm: string): Promise<IssuerKey | 'unknown-now' | null>
  /** Another key that the issuer has meanwhile given the id of one that was found; `null` where it has not, as far as can be read now. */
  findReplacement(kid: string, algorithm: string, key: Pick<IssuerKey, 'material'>): Promise<IssuerKey | null>
  /**
   * Whether the issuer still published this very key under its id when its keys were last read. Waits for nothing; old keys are read again meanwhile,
   * and so they are where it is missing.
   */
  has(kid: string, algorithm: string, key: Pick<IssuerKey, 'material'>): boolean
}

export type IssuerKey = {
  readonly key: CryptoKey
  /** The public members that make the key, as text: the same for the same key, whenever it was read. */
  readonly material: string
}

export type IssuerKeysOptions = {
  readonly source: KeySource
  /** Keys of other algorithms are left out. */
  readonly algorithms: readonly string[]
  readonly fetch: typeof fetch
  /** Unix milliseconds. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Where the keys are, or an issuer whose metadata (RFC 8414, or OpenID Connect Discovery) says so. */
export type KeySource = { readonly keysUrl: string } | { readonly issuer: string }

const freshMs = 10 * 60_000
const staleMs = 24 * 60 * 60_000
const pauseMs = 30_000

async function placeOf(source: KeySource, fetch: IssuerKeysOptions['fetch']): Promise<string> {
  if ('keysUrl' in source) return source.keysUrl
  const { issuer } = source
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  const metadata = await getJson(`${origin}/.well-known/oauth-authorization-server${path}`, fetch).catch(() =>
    getJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, fetch),
  )
  const { issuer: named, jwks_uri: keysUrl } = isRecord(metadata) ? metadata : {}
  if (named !== issuer) throw new TypeError('The metadata is of another issuer.')
  if (typeof keysUrl !== 'string' || !URL.canParse(keysUrl)) throw new TypeError('The metadata names no keys.')
  const { protocol, host } = new URL(keysUrl)
  // What the operator set may be plain on this machine; what is read from the network may be that only where it was read.
  if (protocol !== 'https:' && `${protocol}//${host}` !== origin)
    throw new TypeError('The keys are not served over https.')
  return keysUrl
}

/** Redirects are refused, and no more is read than such documents have. */
async function getJson(url: string, fetch: IssuerKeysOptions['fetch']): Promise<unknown> {
  return withDeadline({ timeoutMs, signal: undefined }, async (signal) => {
    const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'error', signal })
    const bytes = await boundedBytes(answer, { mostBytes, signal })
    if (answer.status !== 200) throw new TypeError(`The issuer answered ${answer.status}.`)
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  })
}

const timeoutMs = 5_000
const mostBytes = 262_144
const mostKeys = 64

/** Those that sign by one of the algorithms. One that cannot be read is left out, so that it does not cost the others. */
async function importKeys(document: unknown, algorithms: readonly string[]): Promise<ReadonlyMap<string, IssuerKey>> {
  const listed = isRecord(document) ? document['keys'] : undefined
  if (!Array.isArray(listed) || listed.length > mostKeys) throw new TypeError('This is no set of keys.')
  const found = new Map<string, IssuerKey>()
  for (const jwk of listed as readonly unknown[]) {
    if (!isRecord(jwk) || typeof jwk['kid'] !== 'string' || (jwk['use'] ?? 'sig') !== 'sig') continue
    for (const algorithm of algorithms) {
      const key = await importKey(jwk, algorithm)
      if (key !== null) found.set(nameOf(algorithm, jwk['kid']), key)
    }
  }
  return found
}

async function importKey(jwk: Readonly<Record<string, unknown>>, algorithm: string): Promise<IssuerKey | null> {
  if ((jwk['alg'] ?? algorithm) !== algorithm) return null
  const { kty, crv, x, y, n, e } = jwk
  try {
    // Public members alone: whoever publishes a private key too has nothing of it kept here.
    const key = await importJWK({ kty, crv, x, y, n, e } as JWK, algorithm)
    return key instanceof Uint8Array ? null : { key, material: JSON.stringify([kty, crv, x, y, n, e]) }
  } catch {
    return null
  }
}

function nameOf(algorithm: string, kid: string): string {
  return `${algorithm} ${kid}`
}
