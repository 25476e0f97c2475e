import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { describe, expect, it } from 'vitest'
import type { Sighting } from '../ports.ts'
import { createPriceMemory, type SightingStore } from './create-price-memory.ts'

const chain = { id: 8453 }
const now = 1_800_000_000
const seen = (subject: string, atSeconds: number, value = 1n): Sighting => ({ subject, atSeconds, values: { value } })

describe('createPriceMemory', () => {
  it('gives back what was kept of a subject on a chain, oldest first, without a store too', async () => {
    const memory = createPriceMemory({ store: () => null, now: () => now * 1000 })
    memory.keep(chain, [seen('pool 0x1', now - 600), seen('pool 0x2', now)])
    memory.keep(chain, [seen('pool 0x1', now - 1_200)])
    expect(await memory.recall(chain, ['pool 0x1'])).toEqual([
      seen('pool 0x1', now - 1_200),
      seen('pool 0x1', now - 600),
    ])
    expect(await memory.recall({ id: 1 }, ['pool 0x1'])).toEqual([])
  })

  it('keeps one sighting of five minutes, the first, and none older than a day', async () => {
    const clock = { ms: now * 1000 }
    const memory = createPriceMemory({ store: () => null, now: () => clock.ms })
    memory.keep(chain, [
      seen('a', now - 86_400 + 100),
      seen('a', now, 1n),
      seen('a', now + 299, 2n),
      seen('a', now + 300, 3n),
    ])
    clock.ms += 400_000
    memory.keep(chain, [seen('a', now + 600, 4n)])
    const values = (await memory.recall(chain, ['a'])).map((one) => one.values['value'])
    expect(values).toEqual([1n, 3n, 4n])
  })

  it('asks the store once for each subject, and once more for what it did not tell', async () => {
    const store = standStore([seen('a', now - 300)])
    const memory = createPriceMemory({ store: () => store, now: () => now * 1000 })
    store.fails = true
    expect(await memory.recall(chain, ['a'])).toEqual([])
    store.fails = false
    const both = [memory.recall(chain, ['a', 'b']), memory.recall(chain, ['b', 'a'])]
    expect(await Promise.all(both)).toEqual([[seen('a', now - 300)], [seen('a', now - 300)]])
    await memory.recall(chain, ['a', 'b', 'c'])
    expect(store.asked).toEqual([['a'], ['a', 'b'], ['c']])
  })

  it('hands on to the store what is new, and outlives its failures', async () => {
    const store = standStore([])
    const errors: unknown[] = []
    const memory = createPriceMemory({
      store: () => store,
      now: () => now * 1000,
      onError: (error) => errors.push(error),
    })
    memory.keep(chain, [seen('a', now)])
    memory.keep(chain, [seen('a', now + 1)])
    expect(store.kept).toEqual([[seen('a', now)]])
    store.fails = true
    memory.keep(chain, [seen('a', now + 300)])
    await Promise.resolve()
    expect(errors).toHaveLength(1)
    expect(await memory.recall(chain, ['a'])).toHaveLength(2)
  })

  it('finds the store when it comes later', async () => {
    const store = standStore([seen('a', now - 300)])
    let opened: SightingStore | null = null
    const memory = createPriceMemory({ store: () => opened, now: () => now * 1000 })
    expect(await memory.recall(chain, ['a'])).toEqual([])
    opened = store
    expect(await memory.recall(chain, ['a'])).toEqual([seen('a', now - 300)])
  })

  it('comes back from the state file after a restart', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'sightings-')), 'state.db')
    const clock = () => now * 1000
    const first = await openStore({ path, now: clock })
    createPriceMemory({ store: () => first.sightings, now: clock }).keep(chain, [
      seen('pool 0x1', now - 60, -(2n ** 200n)),
    ])
    await first.sightings.keep(chain, [seen('pool 0x2', now)])
    await first.close()
    const second = await openStore({ path, now: clock })
    const memory = createPriceMemory({ store: () => second.sightings, now: clock })
    expect(await memory.recall(chain, ['pool 0x1'])).toEqual([seen('pool 0x1', now - 60, -(2n ** 200n))])
    await second.close()
  })

  it('is bounded', async () => {
    const memory = createPriceMemory({ store: () => null, now: () => now * 1000 })
    for (let index = 0; index < 2_001; index += 1) memory.keep(chain, [seen(`pool ${index}`, now)])
    expect(await memory.recall(chain, ['pool 2000'])).toHaveLength(1)
    expect(await memory.recall(chain, ['pool 0'])).toEqual([])
  })
})

function standStore(holds: readonly Sighting[]) {
  const store = {
    fails: false,
    asked: [] as (readonly string[])[],
    kept: [] as (readonly Sighting[])[],
    async recall(_: { readonly id: number }, subjects: readonly string[]) {
      store.asked.push(subjects)
      if (store.fails) throw new Error('down')
      return holds.filter(({ subject }) => subjects.includes(subject))
    },
    async keep(_: { readonly id: number }, sightings: readonly Sighting[]) {
      if (store.fails) throw new Error('down')
      store.kept.push(sightings)
    },
  }
  return store
}
