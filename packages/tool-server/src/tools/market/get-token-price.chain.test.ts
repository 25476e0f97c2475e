import { useDevnet } from '@svc/devnet/testing'
import type { UsdFeed } from '@svc/wallet/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poolRow } from '../../../../amm/src/prices/priced-devnet.fixture.ts'
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
    expect(answer.text('method')).toMatch(/^(feed|pool_twap|pool_spot)$/)
    expect(devnet().pools.map((pool) => pool.id)).toContain(answer.text('pool'))
    expect(Math.abs(answer.number('change24hPct'))).toBeLessThan(50)
    expect(answer.number('liquidityUsd')).toBeGreaterThan(100_000)
    expect((await world.call('get_token_price', { token: 'ETH' })).number('priceUsd')).toBe(answer.number('priceUsd'))
  })

  test('tells the band of named sources, and what each of them says', async () => {
    const [weth, label] = [devnet().chain.wrappedNative, 'v3 WETH/USDC 0.05 %']
    const stale: UsdFeed = { address: weth.address, heartbeatSeconds: 1, deviationBps: 50, decimals: 8 }
    const row = { ...weth, priceSources: { feed: stale, pools: [poolRow(devnet(), 'WETH', label)] } }
    const named = await openWorld(devnet(), { chain: { wrappedNative: row, tokens: [row, ...devnet().chain.tokens] } })
    const answer = await named.call('get_token_price', { token: 'ETH' })
    expect(answer.number('lowUsd')).toBeLessThanOrEqual(answer.number('highUsd'))
    expect(answer.number('priceUsd') / answer.number('lowUsd')).toBeCloseTo(1, 1)
    expect(answer.text('pool')).toBe(row.priceSources.pools[0]!.id)
    expect(answer.at('sources')).toEqual([
      `feed ${weth.address} is silent: it answers no round`,
      expect.stringMatching(/^v3 pool 0x\w+ says \d+[.\d]* to \d+[.\d]*: mean of 30 min from its own oracle$/),
    ])
    await named.close()
  })

  test('takes a dollar for a dollar', async () => {
    const answer = await world.call('get_token_price', { token: 'USDC' })
    expect(answer.number('priceUsd')).toBeCloseTo(1, 2)
    expect(answer.at('notes')).toEqual([expect.stringMatching(/^liquidityUsd is 0 as no pool/)])
  })

  test('prices one token in another, the two ways each the inverse of the other', async () => {
    const one = await world.call('get_token_price', { token: 'WBTC', quote: 'WETH' })
    const other = await world.call('get_token_price', { token: 'WETH', quote: 'WBTC' })
    expect(one.number('price') * other.number('price')).toBeCloseTo(1, 4)
    expect((1 + one.number('change24hPct') / 100) * (1 + other.number('change24hPct') / 100)).toBeCloseTo(1, 5)
    expect(one.text('quote')).toBe('WETH')
    expect(['HIGH', 'MODERATE']).toContain(one.text('confidence'))
  })

  test('invents no price where no pool gives one', async () => {
    const refusal = await world.refuse('get_token_price', { token: 'DAI', quote: 'WBTC' })
    expect(refusal.code).toBe('PRICE_UNAVAILABLE')
  })
})
