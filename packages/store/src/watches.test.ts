import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { openStore, type Store } from './open-store.ts'
import { type NewWatch, type OwnWatches, type StoredWatch, watchBounds, type WatchLook } from './watches.ts'

const watch = (positionId: string): NewWatch => ({
  principal: '{"id":"ann"}',
  chainId: 1,
  version: 'v3',
  positionId,
  conditions: '{}',
  state: '0',
})

async function add(own: OwnWatches, positionId: string): Promise<StoredWatch> {
  const added = await own.add(watch(positionId))
  if (added === null) throw new Error('there is no room')
  return added
}

const found = (...kinds: readonly string[]): WatchLook => ({
  state: '1',
  hasEnded: false,
  events: kinds.map((kind) => ({ kind, content: JSON.stringify(kind) })),
  awaitsWebhook: true,
})

describe.each(useEngines())('watches on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store
  let now = 1_000

  const open = () => openStore({ ...at.place, now: () => now })

  beforeEach(async () => {
    now = 1_000
    at = await newPlace()
    store = await open()
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  const claim = () => store.watches.claimDeliveries({ limit: 10, waitMs: (attempts) => attempts * 1_000 })
  const kinds = (events: readonly { readonly kind: string }[]) => events.map(({ kind }) => kind)

  test('are read and cancelled by their owner alone, and go on after a restart', async () => {
    const [ann, bob] = [store.watches.of('ann'), store.watches.of('bob')]
    const [{ id }, other] = [await add(ann, '7'), await add(bob, '8')]
    expect(await ann.list()).toEqual([{ ...watch('7'), id, owner: 'ann', createdAt: 1_000, endedAt: null }])
    expect([await bob.byId(id), await bob.cancel(id), await ann.byId(other.id)]).toEqual([null, null, null])
    await store.close()
    store = await open()
    expect((await store.watches.active()).map(({ positionId }) => positionId)).toEqual(['7', '8'])
    expect(await store.watches.of('ann').cancel(id)).toMatchObject({ id, positionId: '7' })
    expect(await store.watches.of('ann').cancel(id)).toBeNull()
    await store.watches.drop(other.id)
    expect(await store.watches.active()).toEqual([])
  })

  test('keep a look and its events together; what is gone or has ended takes neither', async () => {
    const ann = store.watches.of('ann')
    const { id } = await add(ann, '7')
    now = 2_000
    const [event] = (await store.watches.record(id, found('il'))).events
    const shown = { id: event?.id, watchId: id, owner: 'ann', kind: 'il', content: '"il"', createdAt: 2_000 }
    expect(await ann.events({ limit: 5 })).toEqual([{ ...shown, webhook: 'pending', attempts: 0 }])
    expect(await store.watches.of('bob').events({ limit: 5 })).toEqual([])
    // One that cannot be kept takes the state with it.
    const large = { ...found(), state: '2', events: [{ kind: 'x', content: 'é'.repeat(watchBounds.contentBytes) }] }
    await expect(store.watches.record(id, large)).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' })
    expect(await ann.byId(id)).toMatchObject({ state: '1', endedAt: null })
    await store.watches.record(id, { ...found('closed'), hasEnded: true, awaitsWebhook: false })
    expect(await store.watches.record(id, { ...found('late'), state: '3' })).toEqual({ events: [], undelivered: 0 })
    expect(await ann.byId(id)).toMatchObject({ state: '1', endedAt: 2_000 })
    expect(await store.watches.active()).toEqual([])
    await ann.cancel(id)
    expect(await store.watches.record(id, found('later'))).toEqual({ events: [], undelivered: 0 })
    expect(kinds(await ann.events({ limit: 5 }))).toEqual(['closed', 'il'])
    expect(kinds(await ann.events({ limit: 1, watchId: id }))).toEqual(['closed'])
    expect(await ann.events({ limit: 5, watchId: 'another' })).toEqual([])
  })

  test('have each webhook tried under one id until it is settled, also where a process ends between', async () => {
    const { id } = await add(store.watches.of('ann'), '7')
    const [first, second] = (await store.watches.record(id, found('first', 'second'))).events
    expect((await claim()).map(({ id: of, attempts }) => [of, attempts])).toEqual([
      [first?.id, 1],
      [second?.id, 1],
    ])
    expect(await claim()).toEqual([])
    await store.watches.settleDelivery(first?.id ?? '', 'delivered')
    await store.close()
    store = await open()
    now += 999
    expect(await claim()).toEqual([])
    now += 1
    expect(await claim()).toMatchObject([{ id: second?.id, kind: 'second', attempts: 2 }])
    await store.watches.settleDelivery(second?.id ?? '', 'failed')
    // Settled once for all.
    await store.watches.settleDelivery(second?.id ?? '', 'delivered')
    now += 1_000_000
    expect(await claim()).toEqual([])
    const events = await store.watches.of('ann').events({ limit: 5 })
    expect(events.map(({ kind, webhook, attempts }) => [kind, webhook, attempts])).toEqual([
      ['second', 'failed', 2],
      ['first', 'delivered', 1],
    ])
  })

  test('have webhooks that go out in turns, so that many of one owner keep nobody else’s back', async () => {
    const [{ id: hers }, { id: his }] = [
      await add(store.watches.of('ann'), '7'),
      await add(store.watches.of('bob'), '8'),
    ]
    const many = Array.from({ length: 25 }, (_, index) => `ann ${index + 1}`)
    await store.watches.record(hers, found(...many))
    await store.watches.record(his, found('bob 1', 'bob 2'))
    expect(kinds(await claim())).toEqual(['ann 1', 'bob 1', 'ann 2', 'bob 2', ...many.slice(2, 8)])
    expect(kinds(await claim())).toEqual(many.slice(8, 18))
  })

  test('are so many of an owner at most, those that ended going first, and so are events', async () => {
    const ann = store.watches.of('ann')
    const { id } = await add(ann, 'first')
    const { id: kept } = await add(ann, 'second')
    for (let index = 2; index < watchBounds.watches; index += 1) await ann.add(watch(`${index}`))
    expect(await ann.add(watch('too many'))).toBeNull()
    await store.watches.of('bob').add(watch("bob's"))
    await store.watches.record(id, { ...found('closed'), hasEnded: true })
    await ann.add(watch('fits now'))
    expect([await ann.byId(id), (await ann.list()).length]).toEqual([null, watchBounds.watches])
    const many = Array.from({ length: watchBounds.events }, (_, index) => `${index}`)
    await store.watches.record(kept, { ...found(...many), awaitsWebhook: false })
    await store.watches.record(kept, { ...found('one more'), awaitsWebhook: false })
    const events = kinds(await ann.events({ limit: 1_000 }))
    // That of the first was not taken by a webhook yet.
    expect([events.length, events.at(-2), events.at(-1)]).toEqual([watchBounds.events + 1, '1', 'closed'])
  })

  test('keep events beyond those until their webhook was taken or given up, so many at most', async () => {
    const ann = store.watches.of('ann')
    const { id } = await add(ann, '7')
    const { id: bobs } = await add(store.watches.of('bob'), '8')
    await store.watches.record(bobs, found("bob's"))
    const { events } = await store.watches.record(id, found('taken', 'failed', 'waits'))
    const many = Array.from({ length: watchBounds.events }, (_, index) => `${index}`)
    expect((await store.watches.record(id, found(...many))).undelivered).toBe(0)
    await store.watches.settleDelivery(events[0]?.id ?? '', 'delivered')
    await store.watches.settleDelivery(events[1]?.id ?? '', 'failed')
    expect((await store.watches.record(id, found('next'))).undelivered).toBe(0)
    const oldest = async () => kinds(await ann.events({ limit: 10_000 })).slice(-2)
    expect(await oldest()).toEqual(['0', 'waits'])
    // 502 wait; what fits in still does, and one more takes the oldest with it.
    let room = watchBounds.unsettledEvents - watchBounds.events - 2
    for (; room > 0; room -= watchBounds.events) {
      const fits = many.slice(0, Math.min(room, many.length))
      expect((await store.watches.record(id, found(...fits))).undelivered).toBe(0)
    }
    expect(await oldest()).toEqual(['0', 'waits'])
    expect((await store.watches.record(id, found('two', 'more'))).undelivered).toBe(2)
    expect(await oldest()).toEqual(['2', '1'])
    expect(await ann.events({ limit: 10_000 })).toHaveLength(watchBounds.unsettledEvents)
    expect(kinds(await store.watches.of('bob').events({ limit: 5 }))).toEqual(["bob's"])
  })
})
