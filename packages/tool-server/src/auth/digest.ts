import { createHash, timingSafeEqual } from 'node:crypto'

/** SHA-256 of a credential: the only form in which credentials are kept. */
export function digest(credential: string): Buffer {
  return createHash('sha256').update(credential).digest()
}

/** Compares two digests in constant time. */
export function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
