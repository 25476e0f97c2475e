import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { openStore, type Store } from './open-store.ts'
import type { Sighting } from './price-memory.ts'

const base = { id: 8453 }
const hour = 3_600
/** The start of five minutes. */
const start = 1_699_999_800
let seconds = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('what was seen of prices, on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    seconds = start
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => seconds * 1_000 + 999 })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('is given back oldest first, of the subjects and the chain asked for, also after a restart', async () => {
    const values = { tickCumulative: -(2n ** 55n), priceCumulative: 2n ** 224n, zero: 0n }
    await keep({ ...seen('pool 0xb', start + 600), values }, seen('pool 0xa', start + 900), seen('pool 0xb', start))
    await keep(seen('pool 0xa', start + 300), seen('token 0xc', start))
    await store.sightings.keep({ id: 1 }, [seen('pool 0xa', start + 1_200)])
    await store.close()
    store = await openStore({ ...at.place, now: () => seconds * 1_000 })
    expect(await store.sightings.recall(base, ['pool 0xa', 'pool 0xb', 'pool 0xnone'])).toEqual([
      seen('pool 0xb', start),
      seen('pool 0xa', start + 300),
      { ...seen('pool 0xb', start + 600), values },
      seen('pool 0xa', start + 900),
    ])
    expect(await store.sightings.recall({ id: 1 }, ['pool 0xa', 'pool 0xb'])).toHaveLength(1)
    expect(await store.sightings.recall(base, [])).toEqual([])
  })

  test('is one sighting in five minutes: the first stays, and only the same second is written again', async () => {
    await keep(seen('a', start + 299, 2n), seen('a', start + 10, 1n), seen('b', start + 299, 3n))
    await keep(seen('a', start + 11, 4n), seen('a', start + 300, 5n), seen('a', start + 599, 6n))
    await keep(seen('a', start, 7n), seen('a', start + 300, 8n), seen('a', start + 300, 9n))
    expect(await recall('a', 'b')).toEqual([
      seen('a', start + 10, 1n),
      seen('b', start + 299, 3n),
      seen('a', start + 300, 9n),
    ])
  })

  test('is forgotten after 26 hours, and what is further off in either direction is not kept', async () => {
    const span = 26 * hour
    await keep(seen('a', start), seen('b', start + 300), seen('a', start - span), seen('a', start + span))
    await keep(seen('a', start - span + 1), seen('a', start + span - 1))
    expect((await recall('a')).map(({ atSeconds }) => atSeconds - start)).toEqual([1 - span, 0, span - 1])
    seconds = start + span - 1
    expect(await recall('b', 'a')).toHaveLength(3)
    seconds = start + span
    expect(await recall('b', 'a')).toEqual([seen('b', start + 300), seen('a', start + span - 1)])
    // With the next that is kept it is gone for good.
    await keep(seen('c', seconds))
    seconds = start
    expect(await recall('a', 'b', 'c')).toEqual([
      seen('b', start + 300),
      seen('a', start + span - 1),
      seen('c', start + span),
    ])
  })

  test('leaves out what is too long', async () => {
    const long = 'x'.repeat(161)
    await keep(seen(long, start), seen('a', start, 10n ** 2_100n), seen('b', start))
    expect(await recall(long, 'a', 'b')).toEqual([seen('b', start)])
  })

  test('is of 4,000 subjects at most: those seen last, over all chains', async () => {
    await store.sightings.keep({ id: 1 }, [seen('first of all', start - 300)])
    await keep(seen('seen again', start - 300))
    await keep(...Array.from({ length: 3_999 }, (_, index) => seen(`pool ${index}`, start)))
    expect(await store.sightings.recall({ id: 1 }, ['first of all'])).toEqual([])
    await keep(seen('seen again', start + 300))
    await keep(seen('new', start + 300))
    expect(await recall('pool 0')).toEqual([])
    expect(await recall('pool 1', 'pool 3998', 'seen again', 'new')).toHaveLength(5)
    // What was pushed out comes back with nothing of before.
    await store.sightings.keep({ id: 1 }, [seen('first of all', start + 300)])
    expect(await store.sightings.recall({ id: 1 }, ['first of all'])).toEqual([seen('first of all', start + 300)])
  })

  test('is kept by many at once', async () => {
    const many = Array.from({ length: 20 }, (_, index) =>
      keep(seen('a', start + 300 * index), seen('b', start + index)),
    )
    await Promise.all(many)
    expect(await recall('a')).toHaveLength(20)
    expect(await recall('b')).toHaveLength(1)
  })
})

function seen(subject: string, atSeconds: number, price = 1n): Sighting {
  return { subject, atSeconds, values: { price } }
}

function keep(...sightings: readonly Sighting[]): Promise<void> {
  return store.sightings.keep(base, sightings)
}

function recall(...subjects: readonly string[]): Promise<readonly Sighting[]> {
  return store.sightings.recall(base, subjects)
}
