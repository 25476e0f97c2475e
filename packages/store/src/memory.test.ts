import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { memoryBounds, type MemoryKind, type NewMemoryRecord } from './memory.ts'
import { openStore, type Store } from './open-store.ts'

const record = (content: unknown, more: Partial<NewMemoryRecord> = {}): NewMemoryRecord => ({
  kind: 'episode',
  chainId: 1,
  pair: '0xaa-0xbb',
  subject: null,
  confidence: 1,
  content: JSON.stringify(content),
  ...more,
})

describe.each(useEngines())('memory on $engine', ({ newPlace }) => {
  let at: TestPlace
  let store: Store
  let now = 1_000

  beforeEach(async () => {
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => now })
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  const contents = async (owner: string, kind: MemoryKind = 'episode') =>
    (await store.memory.of(owner).recall({ kind, limit: 1_000 })).map(({ content }) => JSON.parse(content) as unknown)

  test('gives back what was kept, newest first, to its owner alone and by what is asked for', async () => {
    const [ann, bob] = [store.memory.of('ann'), store.memory.of('bob')]
    const { id } = await ann.keep(record('first', { subject: 'v3:1', confidence: 0.12345 }))
    await ann.keep(record('second', { pair: '0xaa-0xcc' }))
    await ann.keep(record('third', { chainId: 10, subject: 'v3:1' }))
    await ann.keep(record('an insight', { kind: 'insight' }))
    await bob.keep(record("bob's"))
    expect(await contents('ann')).toEqual(['third', 'second', 'first'])
    expect(await contents('bob')).toEqual(["bob's"])
    const of = (query: object) => ann.recall({ kind: 'episode', limit: 10, ...query })
    expect(await of({ chainId: 1, pair: '0xaa-0xbb', subject: 'v3:1' })).toEqual([
      { ...record('first', { subject: 'v3:1', confidence: 0.1235 }), id, createdAt: 1_000, updatedAt: 1_000 },
    ])
    expect(await of({ limit: 1 })).toHaveLength(1)
    expect([(await ann.byId(id))?.content, await bob.byId(id)]).toEqual(['"first"', null])
    expect(await bob.change(id, () => ({ confidence: 0 }))).toBeNull()
  })

  test('changes a record in one go with reading it, also where many change it at once', async () => {
    const own = store.memory.of('ann')
    const { id } = await own.keep(record(0))
    now = 2_000
    const add = () => own.change(id, ({ content }) => ({ content: `${Number(content) + 1}`, confidence: 0.5 }))
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await own.recall({ kind: 'episode', limit: 5 })).toMatchObject([
      { content: '20', confidence: 0.5, createdAt: 1_000, updatedAt: 2_000 },
    ])
    await expect(own.change(id, () => ({ confidence: 1.01 }))).rejects.toThrow('from 0 to 1')
    expect(await own.change('unknown', () => ({}))).toBeNull()
  })

  test('forgets the oldest of an owner and kind beyond so many records, and says how many', async () => {
    const own = store.memory.of('ann')
    const most = memoryBounds.records.insight
    await store.memory.of('bob').keep(record("bob's", { kind: 'insight' }))
    await own.keep(record('an episode'))
    for (let index = 0; index < most; index += 1) await own.keep(record(index, { kind: 'insight' }))
    expect(await own.keep(record('one more', { kind: 'insight' }))).toMatchObject({ forgotten: 1 })
    const left = await contents('ann', 'insight')
    expect([left.length, left.at(-1), left[0]]).toEqual([most, 1, 'one more'])
    expect([await contents('ann'), await contents('bob', 'insight')]).toEqual([['an episode'], ["bob's"]])
  })

  test('and beyond so many bytes, which a change counts in, too; one that is too large is refused', async () => {
    const own = store.memory.of('ann')
    const large = 'x'.repeat(memoryBounds.contentBytes - 2)
    const fitting = memoryBounds.bytes / memoryBounds.contentBytes
    const { id } = await own.keep(record('small'))
    for (let index = 0; index < fitting - 1; index += 1) await own.keep(record(large))
    expect(await contents('ann')).toHaveLength(fitting)
    await own.change((await own.recall({ kind: 'episode', limit: 1 }))[0]?.id ?? '', () => ({ content: '""' }))
    expect(await own.keep(record(large.slice(8)))).toEqual({ id: expect.any(String) as string, forgotten: 0 })
    expect(await own.keep(record(large))).toMatchObject({ forgotten: 1 })
    expect(await own.change(id, () => ({ confidence: 0 }))).toBeNull()
    await expect(own.keep(record(`${large}x`))).rejects.toMatchObject({ code: 'RECORD_TOO_LARGE' })
    await expect(own.keep(record('é'.repeat(memoryBounds.contentBytes / 2)))).rejects.toThrow('at most 4096 bytes')
  })

  test('is given out page by page, and forgotten, of one owner or of all', async () => {
    for (let index = 0; index < 2; index += 1) await store.memory.of('ann').keep(record(index))
    await store.memory.of('ann').keep(record('said', { kind: 'feedback' }))
    await store.memory.of('bob').keep(record("bob's"))
    const first = await store.memory.page({ owner: null, limit: 2 })
    const second = await store.memory.page({ owner: null, after: first.next, limit: 3 })
    expect([first.records.length, second.records.length, second.next]).toEqual([2, 2, null])
    expect(second.records.at(-1)).toMatchObject({ owner: 'bob', content: '"bob\'s"' })
    expect((await store.memory.page({ owner: 'bob' })).records).toHaveLength(1)
    expect([await store.memory.count('ann'), await store.memory.count(null)]).toEqual([3, 4])
    expect(await store.memory.forget('ann')).toBe(3)
    expect([await store.memory.count(null), await store.memory.forget(null), await store.memory.count(null)]).toEqual([
      1, 1, 0,
    ])
  })
})
