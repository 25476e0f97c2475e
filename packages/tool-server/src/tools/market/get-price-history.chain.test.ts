import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keptUnder } from '../../adapters/history/read-traded-bars.ts'
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

const poolOf = (version: string, label = 'WETH/USDC 0.05 %') =>
  devnet().pools.find((pool) => pool.version === version && (version === 'v2' || pool.label === label))!

const isoAgo = (seconds: number) => world.isoAgo(seconds)

describe('get_price_history', () => {
  test.each(['v2', 'v3', 'v4'])('tells a month of a %s pool by the hour, up to the price of now', async (version) => {
    const pool = poolOf(version)
    const answer = await world.call('get_price_history', { pool: pool.id, version, start: isoAgo(29 * 86_400) })
    const points = answer.list('points')
    expect(answer.data).toMatchObject({ source: 'rpc', notes: [], gaps: [], isEstimate: false, pool: pool.id })
    expect(answer.data).toMatchObject({ barsExpected: points.length, barsFound: points.length })
    expect([696, 697]).toContain(points.length)
    const times = points.map((point) => Date.parse(point.text('t')) / 1000)
    expect(times[0]! % 3600).toBe(0)
    expect(times).toEqual(times.map((_, index) => times[0]! + index * 3600))
    const column = (name: string) => points.map((point) => point.number(name))
    const [open, high, low, close] = [column('open'), column('high'), column('low'), column('close')]
    expect(open.slice(1)).toEqual(close.slice(0, -1))
    expect(low.every((price, index) => price <= Math.min(open[index]!, close[index]!))).toBe(true)
    expect(high.every((price, index) => price >= Math.max(open[index]!, close[index]!))).toBe(true)
    const { price } = (await world.call('get_pool_info', { pool: pool.id, version })).data as { price: number }
    expect(points.at(-1)!.number('close') / price).toBeCloseTo(1, 9)
  })

  test('follows the order of the pair', async () => {
    const ask = (token0: string, token1: string) =>
      world.call('get_price_history', { token0, token1, fee: 500, start: isoAgo(86_400) })
    const [weth, usdc] = [await ask('WETH', 'USDC'), await ask('USDC', 'WETH')]
    const close = (answer: Answer) => answer.list('points').map((point) => point.number('close'))
    expect(close(weth)[0]).toBeGreaterThan(500)
    for (const [index, point] of usdc.list('points').entries()) {
      const other = weth.list('points')[index]!
      expect(point.number('high') * other.number('low')).toBeCloseTo(1, 9)
      expect(point.number('close') * other.number('close')).toBeCloseTo(1, 9)
      expect(point.at('tick')).toBe(other.at('tick'))
    }
  })

  test('a day holds the hours of that day', async () => {
    const { id } = poolOf('v3')
    const [start, end] = [isoAgo(8 * 86_400).slice(0, 10), isoAgo(2 * 86_400).slice(0, 10)]
    const hours = (await world.call('get_price_history', { pool: id, start, end })).list('points')
    const days = (await world.call('get_price_history', { pool: id, start, end, interval: '1d' })).list('points')
    expect([hours.length, days.length]).toEqual([144, 6])
    for (const [index, day] of days.entries()) {
      const own = hours.slice(index * 24, index * 24 + 24)
      expect(day.data).toMatchObject({
        t: own[0]!.text('t'),
        open: own[0]!.number('open'),
        high: Math.max(...own.map((hour) => hour.number('high'))),
        low: Math.min(...own.map((hour) => hour.number('low'))),
        close: own.at(-1)!.number('close'),
      })
    }
  })

  test('keeps closed days, and tells the same with them', async () => {
    const { id } = poolOf('v3', 'WETH/USDC 0.3 %')
    const args = { pool: id, start: isoAgo(6 * 86_400).slice(0, 10), end: isoAgo(86_400) }
    const first = await world.call('get_price_history', args)
    const kept = { chainId: world.chain.id, pool: keptUnder({ id }), barSeconds: 3_600 }
    expect((await world.store.bars.read(kept, 0, Date.now())).length).toBe(5)
    expect((await world.call('get_price_history', args)).at('points')).toEqual(first.at('points'))
  })

  test('says where the price is unknown, and knows what does not exist', async () => {
    const early = await world.call('get_price_history', {
      pool: poolOf('v3').id,
      start: isoAgo(60 * 86_400).slice(0, 10),
      interval: '1d',
    })
    const { barsExpected, barsFound } = early.data as { barsExpected: number; barsFound: number }
    expect([barsExpected, early.list('points').length]).toEqual([61, barsFound])
    expect(barsFound).toBeLessThan(33)
    expect(early.at('notes')).toEqual([expect.stringContaining(`${61 - barsFound} bars at the beginning are left out`)])
    const nowhere = '0x00000000000000000000000000000000000000aa'
    expect((await world.refuse('get_price_history', { pool: nowhere })).code).toBe('POOL_NOT_FOUND')
  })
})

describe('get_volume_history', () => {
  test.each(['v2', 'v3', 'v4'])('of a %s pool adds up to what get_pool_info says of the week', async (version) => {
    const pool = poolOf(version)
    const info = await world.call('get_pool_info', { pool: pool.id, version })
    const start = new Date(Date.parse(info.text('timestamp')) - 7 * 86_400_000).toISOString()
    const answer = await world.call('get_volume_history', { pool: pool.id, version, start })
    // The first hour began before the week; the input of a swap is worth more than its output by the fee and the impact.
    expect(answer.number('totals.volumeUsd') / info.number('volume7dUsd')).toBeCloseTo(1, 1)
    const fee = answer.number('totals.feesUsd') / answer.number('totals.volumeUsd')
    expect((fee * 1e6) / pool.fee).toBeCloseTo(1, 9)
    expect(answer.number('totals.txCount')).toBeGreaterThan(20)
    expect(answer.at('notes')).toEqual([expect.stringContaining('tvlUsd is null')])
  })

  test('of a pool without a price in dollars has trades and no dollars', async () => {
    const answer = await world.call('get_volume_history', { pool: poolOf('v3', 'HOSTILE/USDC 1 %').id, interval: '1d' })
    expect(answer.list('points').every((point) => point.number('volumeUsd') >= 0)).toBe(true)
    expect(JSON.stringify(answer.data)).toMatch(/^[ -~]*$/)
  })
})
