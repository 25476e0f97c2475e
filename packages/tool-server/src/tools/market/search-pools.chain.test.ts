import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let world: World

beforeAll(async () => {
  world = await openWorld(devnet(), { isClockHeld: true })
})
afterAll(async () => {
  await world.close()
})

const idsOf = (answer: Answer) => answer.list('items').map((item) => item.text('poolAddress'))
const falls = (values: readonly number[]) => values.every((value, index) => index === 0 || value <= values[index - 1]!)
const column = (answer: Answer, name: string) => answer.list('items').map((item) => item.number(name))

describe('search_pools', () => {
  test('finds every pool between listed tokens, deepest first, and no other', async () => {
    const answer = await world.call('search_pools', { limit: 100 })
    const listed = devnet().pools.filter(({ label }) => !/FOT|HOSTILE/.test(label))
    expect(new Set(idsOf(answer))).toEqual(new Set(listed.map(({ id }) => id)))
    expect(idsOf(answer)).toHaveLength(listed.length)
    expect([falls(column(answer, 'tvlUsd')), answer.at('nextCursor'), answer.at('notes')]).toEqual([true, null, []])
    const info = await world.call('get_pool_info', { pool: idsOf(answer)[0] })
    const [first] = answer.list('items')
    expect(first!.number('tvlUsd') / info.number('tvlUsd')).toBeCloseTo(1, 6)
    for (const name of ['volume24hUsd', 'feeApr24h']) {
      expect(first!.number(name)).toBeGreaterThan(0)
      expect(first!.number(name)).toBe(info.number(name))
    }
  })

  test('of one token, by its volume or fees, above a floor and page by page', async () => {
    const token = 'USDT'
    const own = devnet().pools.filter(({ label }) => label.includes(token))
    expect(new Set(idsOf(await world.call('search_pools', { token })))).toEqual(new Set(own.map(({ id }) => id)))
    const busy = await world.call('search_pools', { sort: 'volume', minTvlUsd: 1_000_000, limit: 100 })
    expect(falls(column(busy, 'volume24hUsd'))).toBe(true)
    expect(Math.min(...column(busy, 'tvlUsd'))).toBeGreaterThanOrEqual(1_000_000)
    const minVolumeUsd = column(busy, 'volume24hUsd')[2]!
    const busiest = await world.call('search_pools', { sort: 'volume', minTvlUsd: 1_000_000, minVolumeUsd })
    expect(idsOf(busiest)).toEqual(idsOf(busy).slice(0, 3))
    // Each figure of an answer may be a little above what it stands for: six digits are all it has.
    const deepest = await world.call('search_pools', { limit: 100 })
    for (const [index, minTvlUsd] of column(deepest, 'tvlUsd').entries()) {
      const found = await world.call('search_pools', { minTvlUsd, limit: 100 })
      expect(idsOf(found)).toEqual(idsOf(deepest).slice(0, index + 1))
    }
    expect(falls(column(await world.call('search_pools', { sort: 'fee_apr' }), 'feeApr24h'))).toBe(true)
    const page = await world.call('search_pools', { limit: 4 })
    const next = await world.call('search_pools', { limit: 4, cursor: page.text('nextCursor') })
    const all = await world.call('search_pools', { limit: 8 })
    expect([...idsOf(page), ...idsOf(next)]).toEqual(idsOf(all))
  })

  test('of an unlisted token finds what it trades against', async () => {
    const own = devnet().pools.find(({ label }) => label.startsWith('HOSTILE'))!
    const answer = await world.call('search_pools', { token: world.address('HOSTILE') })
    expect(idsOf(answer)).toEqual([own.id])
    // The symbols in the pool's own order, told last; of an unlisted token escaped, as everywhere.
    const info = await world.call('get_pool_info', { pool: own.id, version: own.version })
    const [item] = answer.list('items')
    expect(Object.keys(item!.data as object).slice(-2)).toEqual(['token0Symbol', 'token1Symbol'])
    for (const side of ['token0', 'token1']) expect(item!.text(`${side}Symbol`)).toBe(info.text(`${side}.symbol`))
  })

  test('answers in time rather than with everything, and says so', async () => {
    const slow = await openWorld(devnet(), { figuresWithinMs: 200 })
    slow.network.fetch = (input, init) =>
      typeof init?.body === 'string' && init.body.includes('eth_getLogs')
        ? new Promise(() => undefined)
        : fetch(input, init)
    const answer = await slow.call('search_pools', { limit: 3 })
    await slow.close()
    expect(answer.list('items').map((item) => item.at('volume24hUsd'))).toEqual([null, null, null])
    expect(answer.at('notes')).toEqual([expect.stringContaining('trading of 3 pools')])
  })
})
