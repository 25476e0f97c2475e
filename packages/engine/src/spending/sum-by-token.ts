import type { Intent } from '@svc/amm'

/** Sums declared quantities by lower-case token. */
export function sumByToken(quantities: Intent['spends']): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { token, amount } of quantities) {
    const key = token.toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return sums
}
