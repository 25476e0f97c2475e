import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let world: World

beforeAll(async () => {
  world = await openWorld(devnet())
})
afterAll(async () => {
  await world.close()
})

describe('get_token_price', () => {
  test('prices ether in dollars out of a pool, with its change over a day', async () => {
    const answer = await world.call('get_token_price', { token: 'WETH' })
    expect(answer.number('priceUsd')).toBeGreaterThan(500)
    expect(answer.number('priceUsd')).toBe(answer.number('price'))
    expect(answer.text('method')).toBe('feed')
    expect(devnet().pools.map((pool) => pool.id)).toContain(answer.text('pool'))
    expect(Math.abs(answer.number('change24hPct'))).toBeLessThan(50)
    expect(answer.number('liquidityUsd')).toBeGreaterThan(100_000)
    expect((await world.call('get_token_price', { token: 'ETH' })).number('priceUsd')).toBe(answer.number('priceUsd'))
  })

  test('takes a dollar for a dollar', async () => {
    const answer = await world.call('get_token_price', { token: 'USDC' })
    expect(answer.number('priceUsd')).toBeCloseTo(1, 2)
    expect(answer.at('notes')).toEqual([])
  })

  test('prices one token in another, the two ways each the inverse of the other', async () => {
    const one = await world.call('get_token_price', { token: 'WBTC', quote: 'WETH' })
    const other = await world.call('get_token_price', { token: 'WETH', quote: 'WBTC' })
    expect(one.number('price') * other.number('price')).toBeCloseTo(1, 9)
    expect((1 + one.number('change24hPct') / 100) * (1 + other.number('change24hPct') / 100)).toBeCloseTo(1, 5)
    expect(one.text('quote')).toBe('WETH')
    expect(['HIGH', 'MODERATE']).toContain(one.text('confidence'))
  })

  test('invents no price where no pool gives one', async () => {
    const refusal = await world.refuse('get_token_price', { token: 'DAI', quote: 'WBTC' })
    expect(refusal.code).toBe('PRICE_UNAVAILABLE')
  })
})
