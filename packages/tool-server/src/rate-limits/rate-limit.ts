import { createTokenBuckets, type QuotaLimit, quotaPolicy, type Taken } from '@svc/runtime'
import { createLeases, type Lend } from './leases.ts'

/** The limits of requests: of each address, of each address as long as it shows no valid credentials, and of each key or token. */
export function createRateLimits(figures: RateFigures, shared: Pick<RateLimitOptions, 'now' | 'lend' | 'onRefused'>) {
  const limitOf = (name: string, perMinute: number) => createRateLimit({ name, perMinute, ...shared })
  return {
    perAddress: limitOf('address', figures.perAddressPerMinute),
    unauthenticated: limitOf('unauthenticated', figures.unauthenticatedPerMinute),
    perPrincipal: limitOf('token', figures.perPrincipalPerMinute),
  }
}

export type RateFigures = {
  readonly perAddressPerMinute: number
  readonly unauthenticatedPerMinute: number
  readonly perPrincipalPerMinute: number
}

export type RateLimits = ReturnType<typeof createRateLimits>

/** So many requests a minute for each caller. */
export type RateLimit = QuotaLimit & {
  /** What `RateLimit-Policy` says of it. */
  readonly policy: string
  /** Says whether one more request of a caller fits; if not, how long until one does. A promise only where the database is asked. */
  take(caller: string): Taken | Promise<Taken>
}

/**
 * A limit of this process, or with `lend` one that all servers on a database share. A bucket of this process stands before the shared
 * one, so a flood does not reach the database, and while that is away the limit holds for each server by itself.
 */
function createRateLimit({ name, perMinute, now, lend, onRefused }: RateLimitOptions): RateLimit {
  const quota = { name, perWindow: perMinute, windowMs: 60_000 }
  const own = createTokenBuckets({ perMinute, now })
  const shared = lend === null ? null : createLeases({ name, perMinute, now, lend })
  const take = (caller: string) => {
    const taken = own.take(caller)
    return shared === null || !taken.allowed ? taken : shared.take(caller, taken)
  }
  return Object.freeze({
    ...quota,
    policy: quotaPolicy(quota),
    take: onRefused === undefined ? take : (caller: string) => withRefusal(take(caller), () => onRefused(name)),
  })
}

function withRefusal(taken: Taken | Promise<Taken>, heard: () => void): Taken | Promise<Taken> {
  if (taken instanceof Promise) return taken.then((known) => withRefusal(known, heard))
  if (!taken.allowed) heard()
  return taken
}

type RateLimitOptions = {
  readonly name: string
  readonly perMinute: number
  /** Milliseconds on a clock that does not run backwards. */
  readonly now: () => number
  /** Lends tokens of buckets that several servers share. */
  readonly lend: Lend | null
  /** Hears of each request that is turned away. */
  readonly onRefused?: ((name: string) => void) | undefined
}
