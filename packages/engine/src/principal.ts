import type { Scope } from './scopes.ts'

/** Who is calling, whatever stage of authentication found out. Authorisation reads nothing else. */
export type Principal = {
  /** Stable and free of secrets: a key's digest prefix, an address, a subject. Sessions, limits and records hang on it. */
  readonly id: string
  readonly stage: 'local' | 'api-key' | 'bearer' | 'siwe' | 'oauth' | 'edge-access'
  /** Set where a tier of keys was used; a scoped token has none. */
  readonly tier: KeyTier | null
  readonly scopes: ReadonlySet<Scope>
  /** Unix milliseconds after which the principal must be authenticated anew, or `null`. */
  readonly expiresAt: number | null
}

export type KeyTier = 'read' | 'feedback' | 'write'
