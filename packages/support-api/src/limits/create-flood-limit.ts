import type { RateVerdict } from '@svc/store'
import { ApiError } from '../errors.ts'

/**
 * Holds a range of addresses to so many requests a minute at this process, evenly refilled: what keeps a flood away from
 * the database and the upstreams. It remembers at most `maxNetworks`; the one not seen for longest is forgotten first.
 * Throws `RATE_LIMITED`.
 */
export function createFloodLimit(options: FloodLimitOptions): (network: string) => void {
  const { perMinute, now, maxNetworks = 10_000, name = 'requests', message = tooMany } = options
  const refillPerMs = perMinute / 60_000
  const limit = { name, perWindow: perMinute, windowMs: 60_000 }
  const buckets = new Map<string, { left: number; at: number }>()
  return (network) => {
    const at = now()
    const bucket = buckets.get(network) ?? { left: perMinute, at }
    bucket.left = Math.min(perMinute, bucket.left + Math.max(0, at - bucket.at) * refillPerMs)
    bucket.at = at
    buckets.delete(network)
    buckets.set(network, bucket)
    if (buckets.size > maxNetworks) buckets.delete(buckets.keys().next().value ?? network)
    if (bucket.left < 1) {
      const retryAfterMs = (1 - bucket.left) / refillPerMs
      throw new ApiError('RATE_LIMITED', message, {
        retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
        headers: rateLimitHeaders(limit, { allowed: false, remaining: 0, retryAfterMs }),
      })
    }
    bucket.left -= 1
  }
}

export type FloodLimitOptions = {
  readonly perMinute: number
  readonly maxNetworks?: number
  /** In the headers; `requests` when absent. */
  readonly name?: string
  readonly message?: string
  /** Milliseconds on a clock that does not run backwards. */
  readonly now: () => number
}

const tooMany = 'Too many requests from this range of addresses.'

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): what is left of a limit, and when more is. */
export function rateLimitHeaders(
  limit: { readonly name: string; readonly perWindow: number; readonly windowMs: number },
  verdict: RateVerdict,
): Readonly<Record<string, string>> {
  const { name, perWindow, windowMs } = limit
  const reset = verdict.allowed ? '' : `;t=${Math.ceil((verdict.retryAfterMs ?? windowMs) / 1_000)}`
  return {
    'ratelimit-policy': `"${name}";q=${perWindow};w=${windowMs / 1_000}`,
    ratelimit: `"${name}";r=${verdict.remaining}${reset}`,
  }
}
