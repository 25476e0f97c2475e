/** Says whether one more request of a caller fits; if not, after how many seconds it will. */
export type RateLimit = { take(caller: string): Verdict }

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly retryAfterSeconds: number }

/**
 * A token bucket per caller: `perMinute` at once, refilled evenly. Remembers at most `maxCallers`; the one not seen for
 * longest is forgotten first, and a forgotten caller starts with a full bucket.
 */
export function createRateLimit(options: {
  readonly perMinute: number
  readonly maxCallers?: number
  /** Milliseconds on any clock that does not run backwards. */
  readonly now: () => number
}): RateLimit {
  const { perMinute, now, maxCallers = 10_000 } = options
  const refillPerMs = perMinute / 60_000
  const buckets = new Map<string, { tokens: number; at: number }>()
  return Object.freeze({
    take(caller: string): Verdict {
      const at = now()
      const bucket = buckets.get(caller) ?? { tokens: perMinute, at }
      bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, at - bucket.at) * refillPerMs)
      bucket.at = at
      buckets.delete(caller)
      buckets.set(caller, bucket)
      if (buckets.size > maxCallers) buckets.delete(buckets.keys().next().value ?? caller)
      if (bucket.tokens < 1) {
        return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / refillPerMs / 1000)) }
      }
      bucket.tokens -= 1
      return { ok: true }
    },
  })
}
