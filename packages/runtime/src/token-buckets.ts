/**
 * A token bucket per key: `perMinute` at once, refilled evenly. Remembers at most `maxKeys`; the one not seen for longest is
 * forgotten first, and a forgotten one starts with a full bucket.
 */
export function createTokenBuckets({ perMinute, now, maxKeys = 10_000 }: TokenBucketOptions): TokenBuckets {
  const refillPerMs = perMinute / 60_000
  const buckets = new Map<string, { tokens: number; at: number }>()
  let newest: string | null = null
  return Object.freeze({
    take(key: string): Taken {
      const at = now()
      const bucket = buckets.get(key) ?? { tokens: perMinute, at }
      bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, at - bucket.at) * refillPerMs)
      bucket.at = at
      if (key !== newest) {
        newest = key
        buckets.delete(key)
        buckets.set(key, bucket)
        if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? key)
      }
      if (bucket.tokens < 1) return { allowed: false, remaining: 0, retryAfterMs: (1 - bucket.tokens) / refillPerMs }
      bucket.tokens -= 1
      return { allowed: true, remaining: Math.floor(bucket.tokens) }
    },
  })
}

export type TokenBuckets = {
  /** Takes one token, or says how long until there is one. */
  take(key: string): Taken
}

export type Taken =
  | { readonly allowed: true; readonly remaining: number }
  | { readonly allowed: false; readonly remaining: number; readonly retryAfterMs: number }

export type TokenBucketOptions = {
  readonly perMinute: number
  readonly maxKeys?: number
  /** Milliseconds on a clock that does not run backwards. */
  readonly now: () => number
}

/** What `Retry-After` says. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1_000))
}

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): what a limit allows, what is left of it, and where nothing
 * is, for how many seconds. Those of several limits stand side by side with a comma between them.
 */
export function rateLimitHeaders(
  limit: QuotaLimit,
  verdict: QuotaVerdict,
): { readonly 'ratelimit-policy': string; readonly ratelimit: string } {
  return { 'ratelimit-policy': quotaPolicy(limit), ratelimit: quotaLeft(limit, verdict) }
}

export function quotaPolicy({ name, perWindow, windowMs }: QuotaLimit): string {
  return `"${name}";q=${perWindow};w=${windowMs / 1_000}`
}

export function quotaLeft({ name, windowMs }: QuotaLimit, verdict: QuotaVerdict): string {
  const left = `"${name}";r=${verdict.remaining}`
  return verdict.allowed ? left : `${left};t=${retryAfterSeconds(verdict.retryAfterMs ?? windowMs)}`
}

export type QuotaLimit = {
  /** Letters of ASCII. */
  readonly name: string
  readonly perWindow: number
  readonly windowMs: number
}

/** `retryAfterMs` of `null`: never, it costs more than a whole window. */
export type QuotaVerdict =
  | { readonly allowed: true; readonly remaining: number }
  | { readonly allowed: false; readonly remaining: number; readonly retryAfterMs: number | null }
