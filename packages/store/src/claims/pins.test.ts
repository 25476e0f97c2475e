import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    at = await newPlace()
    store = await openStore({ ...at.place, now: Date.now })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('an app pins once, and other apps may pin the same', async () => {
    expect(await store.pins.has('app', 'cid')).toBe(false)
    const first = await Promise.all(Array.from({ length: 5 }, () => store.pins.record('app', 'cid')))
    expect(first.filter(Boolean)).toHaveLength(1)
    expect(await store.pins.has('app', 'cid')).toBe(true)
    expect(await store.pins.record('other', 'cid')).toBe(true)
  })

  test('content stays what it was, byte for byte', async () => {
    const content = '{"name":"Ada \u{1f680} \\u0000"}'
    expect(await store.pins.content('cid')).toBeNull()
    await store.pins.keep('cid', content)
    await store.pins.keep('cid', 'other')
    expect(await store.pins.content('cid')).toBe(content)
  })
})
