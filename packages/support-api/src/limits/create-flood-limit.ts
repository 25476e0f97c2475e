import { createTokenBuckets, rateLimitHeaders, retryAfterSeconds, type TokenBucketOptions } from '@svc/runtime'
import { ApiError } from '../errors.ts'

/**
 * Holds a range of addresses to so many requests a minute at this process, evenly refilled: what keeps a flood away from
 * the database and the upstreams. Throws `RATE_LIMITED`.
 */
export function createFloodLimit(options: FloodLimitOptions): (network: string) => void {
  const { name = 'requests', message = tooMany } = options
  const limit = { name, perWindow: options.perMinute, windowMs: 60_000 }
  const buckets = createTokenBuckets(options)
  return (network) => {
    const verdict = buckets.take(network)
    if (verdict.allowed) return
    throw new ApiError('RATE_LIMITED', message, {
      retryAfterSeconds: retryAfterSeconds(verdict.retryAfterMs),
      headers: rateLimitHeaders(limit, verdict),
    })
  }
}

export type FloodLimitOptions = TokenBucketOptions & {
  /** In the headers; `requests` when absent. */
  readonly name?: string
  readonly message?: string
}

const tooMany = 'Too many requests from this range of addresses.'
