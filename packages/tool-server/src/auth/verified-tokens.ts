import { hash } from 'node:crypto'

/**
 * What is known of tokens whose signature was verified, by their digest: a call with one that was seen before costs a digest, as one with a key
 * does. Each is forgotten when its time is over; of too many the one that was used longest ago. Those at the front, which were not used for long, make
 * room as new ones come, so that no more are held than came within the time of one.
 */
export function createVerifiedTokens<Known extends { readonly expiresAt: number }>(
  now: () => number,
  mostTokens = 10_000,
): VerifiedTokens<Known> {
  const known = new Map<string, Known>()
  return {
    find(token) {
      const digest = digestOf(token)
      const found = known.get(digest)
      if (found === undefined) return null
      known.delete(digest)
      if (found.expiresAt <= now()) return null
      known.set(digest, found)
      return found
    },
    keep(token, verified) {
      for (const [digest, { expiresAt }] of known) {
        if (expiresAt > now()) break
        known.delete(digest)
      }
      known.set(digestOf(token), verified)
      if (known.size > mostTokens) known.delete(known.keys().next().value ?? '')
    },
    size: () => known.size,
  }
}

export type VerifiedTokens<Known> = {
  find(token: string): Known | null
  keep(token: string, verified: Known): void
  size(): number
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}
