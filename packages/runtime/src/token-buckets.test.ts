import { expect, it } from 'vitest'
import { createTokenBuckets, rateLimitHeaders } from './token-buckets.ts'

it('gives a minute of tokens at once and refills them evenly, to each key its own', () => {
  const clock = { ms: 0 }
  const buckets = createTokenBuckets({ perMinute: 4, now: () => clock.ms })
  expect([3, 2, 1, 0].map(() => buckets.take('a'))).toEqual(
    [3, 2, 1, 0].map((remaining) => ({ allowed: true, remaining })),
  )
  expect(buckets.take('a')).toEqual({ allowed: false, remaining: 0, retryAfterMs: 15_000 })
  expect(buckets.take('b')).toMatchObject({ allowed: true, remaining: 3 })
  clock.ms += 14_999
  expect(buckets.take('a')).toMatchObject({ allowed: false })
  clock.ms += 2
  expect(buckets.take('a')).toEqual({ allowed: true, remaining: 0 })
  clock.ms += 600_000
  expect(buckets.take('a')).toEqual({ allowed: true, remaining: 3 })
})

it('forgets the key that was not seen for longest', () => {
  const buckets = createTokenBuckets({ perMinute: 1, maxKeys: 2, now: () => 0 })
  const allowed = (key: string) => buckets.take(key).allowed
  expect([allowed('a'), allowed('b'), allowed('a'), allowed('c')]).toEqual([true, true, false, true])
  expect([allowed('a'), allowed('b')]).toEqual([false, true])
})

it('says what is left as structured fields', () => {
  const limit = { name: 'token', perWindow: 600, windowMs: 60_000 }
  expect(rateLimitHeaders(limit, { allowed: true, remaining: 17 })).toEqual({
    'ratelimit-policy': '"token";q=600;w=60',
    ratelimit: '"token";r=17',
  })
  expect(rateLimitHeaders(limit, { allowed: false, remaining: 0, retryAfterMs: 1 }).ratelimit).toBe('"token";r=0;t=1')
  expect(rateLimitHeaders(limit, { allowed: false, remaining: 0, retryAfterMs: null }).ratelimit).toBe(
    '"token";r=0;t=60',
  )
})
