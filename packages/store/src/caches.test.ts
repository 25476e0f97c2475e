import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { openStore, type Store } from './open-store.ts'
import { openPostgresEngine } from './postgres/postgres-engine.ts'
import { openSqliteEngine } from './sqlite/sqlite-engine.ts'
import { createTokenStore } from './caches.ts'

const week = 7 * 86_400_000
const token = { chainId: 1, address: '0xab' }

describe.each(useEngines())('facts of tokens on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store
  let now = 1_700_000_000_000

  beforeEach(async () => {
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => now })
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('are given back as they were last kept, each of its chain', async () => {
    expect(await store.tokens.read(token)).toBeNull()
    await store.tokens.keep(token, 'broken')
    await store.tokens.keep(token, 'mended')
    await store.tokens.keep({ ...token, chainId: 10 }, 'of another chain')
    expect(await store.tokens.read(token)).toBe('mended')
    expect(await store.tokens.read({ ...token, chainId: 10 })).toBe('of another chain')
  })

  test('are given for a week after they were last kept', async () => {
    await store.tokens.keep(token, 'first')
    now += week
    expect(await store.tokens.read(token)).toBeNull()
    await store.tokens.keep(token, 'again')
    now += week - 1
    expect(await store.tokens.read(token)).toBe('again')
  })

  test('that are too large are left out', async () => {
    await store.tokens.keep(token, 'ü'.repeat(513))
    expect(await store.tokens.read(token)).toBeNull()
  })

  test('are bounded: the oldest entries go', async () => {
    const { place } = at
    const engine =
      'url' in place ? await openPostgresEngine(place.url, place.patienceMs) : await openSqliteEngine(place.path)
    const tokens = createTokenStore(engine, () => now, 2)
    const addresses = ['0x1', '0x2', '0x3']
    for (const address of addresses) await tokens.keep({ chainId: 1, address }, address)
    expect(await Promise.all(addresses.map((address) => tokens.read({ chainId: 1, address })))).toEqual([
      null,
      '0x2',
      '0x3',
    ])
    await engine.close()
  })
})

const hours = { chainId: 1, pool: '0xab', barSeconds: 3_600 }
const chunk = (startsAt: number, content = `${startsAt}`) => ({ startsAt, content })

describe.each(useEngines())('chunks of bars on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store

  beforeEach(async () => {
    at = await newPlace()
    store = await openStore({ ...at.place, now: Date.now })
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('are given back as they were last kept, each to its own', async () => {
    expect(await store.bars.read(hours, 0, 1_000)).toEqual([])
    await store.bars.keep(hours, [chunk(200), chunk(100, 'broken'), chunk(100, 'broken too')])
    await store.bars.keep(hours, [chunk(100), chunk(300)])
    await store.bars.keep({ ...hours, pool: '0xcd' }, [chunk(100, 'cd')])
    await store.bars.keep({ ...hours, barSeconds: 60 }, [chunk(100, 'minutes')])
    await store.bars.keep({ ...hours, chainId: 10 }, [chunk(100, 'optimism')])
    await store.bars.keep(hours, [])
    expect(await store.bars.read(hours, 100, 300)).toEqual([chunk(100), chunk(200)])
    expect(await store.bars.read({ ...hours, chainId: 10 }, 0, 1_000)).toEqual([chunk(100, 'optimism')])
  })

  test('that are too large are left out', async () => {
    await store.bars.keep(hours, [chunk(100, 'x'.repeat(65 * 1024)), chunk(200)])
    expect(await store.bars.read(hours, 0, 1_000)).toEqual([chunk(200)])
  })

  test('are bounded: the oldest entries go', async () => {
    const many = Array.from({ length: 10_002 }, (_, index) => chunk(index))
    for (let from = 0; from < many.length; from += 1_000) await store.bars.keep(hours, many.slice(from, from + 1_000))
    const left = await store.bars.read(hours, 0, 20_000)
    expect([left.length, left[0]]).toEqual([10_000, chunk(2)])
  })
})
