import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keptUnder } from '../../../../amm/src/history/bars/read-traded-bars.ts'
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

/** The bars that the columns of an answer tell of, each opening at the close before it; `at` in Unix milliseconds. */
function barsOf(answer: Answer) {
  const [first, barMs] = [Date.parse(answer.text('start')), answer.number('intervalSeconds') * 1000]
  const [high, low, close] = ['high', 'low', 'close'].map((name) => answer.at(name) as number[])
  return close!.map((price, index) => ({
    at: first + index * barMs,
    open: close![index - 1] ?? answer.number('open'),
    high: high![index]!,
    low: low![index]!,
    close: price,
  }))
}

describe('a week by the hour', () => {
  test.each([
    ['get_price_history', 'WETH', 'USDC'],
    ['get_price_history', 'USDC', 'WETH'],
    ['get_volume_history', 'WETH', 'USDC'],
  ])('of %s, %s/%s, takes at most 4,000 tokens', async (tool, token0, token1) => {
    const answer = await world.call(tool, { token0, token1, fee: 500 })
    expect(answer.number('barsFound')).toBeGreaterThan(160)
    expect(countTokens(JSON.stringify(answer.data))).toBeLessThanOrEqual(4_000)
    const figures = JSON.stringify(answer.data).match(/(?<=[[,:])-?\d+(\.\d+)?(?=[\],}])/g) ?? []
    expect(figures.length).toBeGreaterThan(160)
    const digitsOf = (figure: string) => figure.replaceAll(/^-?[0.]*|\./g, '').replace(/0+$/, '')
    expect(figures.filter((figure) => digitsOf(figure).length > 6)).toEqual([])
  })
})

const isoAgo = (seconds: number) => world.isoAgo(seconds)

describe('get_price_history', () => {
  test.each(['v2', 'v3', 'v4'])('tells a month of a %s pool by the hour, up to the price of now', async (version) => {
    const pool = poolOf(version)
    const answer = await world.call('get_price_history', { pool: pool.id, version, start: isoAgo(29 * 86_400) })
    const points = barsOf(answer)
    expect(answer.data).toMatchObject({ source: 'rpc', notes: [], gaps: [], isEstimate: false, pool: pool.id })
    expect(answer.data).toMatchObject({ barsExpected: points.length, barsFound: points.length })
    expect([696, 697]).toContain(points.length)
    expect([Date.parse(answer.text('start')) % 3_600_000, answer.number('intervalSeconds')]).toEqual([0, 3_600])
    expect(points.every(({ open, low, close }) => low <= Math.min(open, close))).toBe(true)
    expect(points.every(({ open, high, close }) => high >= Math.max(open, close))).toBe(true)
    const { price } = (await world.call('get_pool_info', { pool: pool.id, version })).data as { price: number }
    expect(points.at(-1)!.close / price).toBeCloseTo(1, 5)
  })

  test('follows the order of the pair', async () => {
    const ask = (token0: string, token1: string) =>
      world.call('get_price_history', { token0, token1, fee: 500, start: isoAgo(86_400) })
    const [weth, usdc] = [await ask('WETH', 'USDC'), await ask('USDC', 'WETH')]
    expect(barsOf(weth)[0]!.close).toBeGreaterThan(500)
    for (const [index, point] of barsOf(usdc).entries()) {
      const other = barsOf(weth)[index]!
      expect(point.high * other.low).toBeCloseTo(1, 5)
      expect(point.close * other.close).toBeCloseTo(1, 5)
    }
  })

  test('a day holds the hours of that day', async () => {
    const { id } = poolOf('v3')
    const [start, end] = [isoAgo(8 * 86_400).slice(0, 10), isoAgo(2 * 86_400).slice(0, 10)]
    const hours = barsOf(await world.call('get_price_history', { pool: id, start, end }))
    const days = barsOf(await world.call('get_price_history', { pool: id, start, end, interval: '1d' }))
    expect([hours.length, days.length]).toEqual([144, 6])
    for (const [index, day] of days.entries()) {
      const own = hours.slice(index * 24, index * 24 + 24)
      expect(day).toEqual({
        at: own[0]!.at,
        open: own[0]!.open,
        high: Math.max(...own.map(({ high }) => high)),
        low: Math.min(...own.map(({ low }) => low)),
        close: own.at(-1)!.close,
      })
    }
  })

  test('keeps closed days, and tells the same with them', async () => {
    const { id } = poolOf('v3', 'WETH/USDC 0.3 %')
    const args = { pool: id, start: isoAgo(6 * 86_400).slice(0, 10), end: isoAgo(86_400) }
    const first = await world.call('get_price_history', args)
    const kept = { chainId: world.chain.id, pool: keptUnder({ id }), barSeconds: 3_600 }
    expect((await world.store.bars.read(kept, 0, Date.now())).length).toBe(5)
    expect(barsOf(await world.call('get_price_history', args))).toEqual(barsOf(first))
  })

  test('says where the price is unknown, and knows what does not exist', async () => {
    const early = await world.call('get_price_history', {
      pool: poolOf('v3').id,
      start: isoAgo(60 * 86_400).slice(0, 10),
      interval: '1d',
    })
    const { barsExpected, barsFound } = early.data as { barsExpected: number; barsFound: number }
    expect([barsExpected, barsOf(early).length]).toEqual([61, barsFound])
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
    expect((fee * 1e6) / pool.fee).toBeCloseTo(1, 4)
    expect(answer.number('totals.txCount')).toBeGreaterThan(20)
    expect(answer.at('notes')).toEqual([expect.stringContaining('tvlUsd is null')])
  })

  test('of a pool without a price in dollars has trades and no dollars', async () => {
    const answer = await world.call('get_volume_history', { pool: poolOf('v3', 'HOSTILE/USDC 1 %').id, interval: '1d' })
    const volumes = answer.at('volumeUsd') as (number | null)[] | null
    expect((volumes ?? []).every((volume) => volume === null || volume >= 0)).toBe(true)
    expect(JSON.stringify(answer.data)).toMatch(/^[ -~]*$/)
  })
})
