import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const token = { key: 'token:a', perMinute: 60, most: 10 }
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = 1_700_000_000_000
    at = await newPlace()
    store = await reopen()
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('lends as many as there are, and says when there is one again', async () => {
    expect(await store.rateLeases.lease([token])).toEqual([{ granted: 10, remaining: 50, retryAfterMs: 0 }])
    expect(await store.rateLeases.lease([{ ...token, most: 60 }])).toEqual([
      { granted: 50, remaining: 0, retryAfterMs: 1_000 },
    ])
    expect(await store.rateLeases.lease([token])).toEqual([{ granted: 0, remaining: 0, retryAfterMs: 1_000 }])
    clock += 999
    expect(await store.rateLeases.lease([token])).toEqual([{ granted: 0, remaining: 0, retryAfterMs: 1 }])
    clock += 1
    expect(await store.rateLeases.lease([token])).toEqual([{ granted: 1, remaining: 0, retryAfterMs: 1_000 }])
    clock += 600_000
    expect(await store.rateLeases.lease([token])).toEqual([{ granted: 10, remaining: 50, retryAfterMs: 0 }])
  })

  test('lends to many at once, to each of its own, and twice out of one bucket', async () => {
    const other = { ...token, key: 'address:b', most: 60 }
    expect(await store.rateLeases.lease([token, other, { ...token, most: 60 }])).toEqual([
      { granted: 10, remaining: 50, retryAfterMs: 0 },
      { granted: 60, remaining: 0, retryAfterMs: 1_000 },
      { granted: 50, remaining: 0, retryAfterMs: 1_000 },
    ])
  })

  test('lends no more than there is to openings that race', async () => {
    const other = await reopen()
    const leased = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 20 ? store : other).rateLeases.lease([{ ...token, perMinute: 100, most: 7 }]),
      ),
    )
    expect(leased.flat().reduce((sum, { granted }) => sum + granted, 0)).toBe(100)
    await other.close()
  })

  test('lends out of many buckets to openings that name them in different orders', async () => {
    const other = await reopen()
    const asks = Array.from({ length: 50 }, (_, index) => ({ key: `address:${index}`, perMinute: 100, most: 7 }))
    const leased = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 ? store.rateLeases.lease(asks) : other.rateLeases.lease(asks.toReversed()),
      ),
    )
    expect(leased.flat().reduce((sum, { granted }) => sum + granted, 0)).toBe(50 * 100)
    await other.close()
  })

  test('a clock that was set back leaves a bucket empty for a minute at most', async () => {
    await store.rateLeases.lease([{ ...token, most: 60 }])
    clock -= 86_400_000
    expect(await store.rateLeases.lease([token])).toEqual([{ granted: 0, remaining: 0, retryAfterMs: 1_000 }])
    clock += 60_000
    expect(await store.rateLeases.lease([token])).toMatchObject([{ granted: 10 }])
  })

  test.each([{ most: 0 }, { perMinute: 0 }, { perMinute: 1.5 }])('takes whole numbers above 0, not %j', async (odd) => {
    await expect(store.rateLeases.lease([{ ...token, ...odd }])).rejects.toThrow(TypeError)
  })
})

const reopen = () => openStore({ ...at.place, now: () => clock })
