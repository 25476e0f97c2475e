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

const versions = ['v2', 'v3', 'v4'] as const
const poolOf = (version: string, fee = 500) =>
  devnet().pools.find(
    (pool) => pool.version === version && pool.label.startsWith('WETH/USDC') && (version === 'v2' || pool.fee === fee),
  )!

describe('pool reads', () => {
  test.each(versions)('get_pool_info tells of a %s pool what its contracts say', async (version) => {
    const pool = poolOf(version)
    const answer = await world.call('get_pool_info', { pool: pool.id, version })
    expect(answer.data).toMatchObject({
      version,
      pool: { poolAddress: pool.id, token0: pool.token0, token1: pool.token1, fee: pool.fee },
      notes: [],
    })
    expect(answer.number('price') * answer.number('priceInverse')).toBeCloseTo(1, 4)
    expect(answer.number('tvlUsd')).toBeGreaterThan(500_000)
    expect(answer.number('volume7dUsd')).toBeGreaterThan(answer.number('volume24hUsd'))
    expect(answer.number('volume24hUsd')).toBeGreaterThan(0)
    const fromVolume = ((answer.number('volume7dUsd') * pool.fee) / 1e6 / answer.number('tvlUsd')) * (365 / 7) * 100
    expect(answer.number('feeApr7d') / fromVolume).toBeCloseTo(1, 3)
  })

  test('get_pool_info finds the same pool by its pair, in the order of the caller', async () => {
    const byPool = await world.call('get_pool_info', { pool: poolOf('v3').id })
    const weth = await world.call('get_pool_info', { token0: 'WETH', token1: 'USDC', fee: 500 })
    const usdc = await world.call('get_pool_info', { token0: 'USDC', token1: 'WETH', fee: 500 })
    for (const answer of [weth, usdc, byPool]) {
      expect(answer.text('pool.poolAddress')).toBe(poolOf('v3').id)
      expect([answer.text('pool.token0'), answer.text('pool.token1')]).toEqual([
        answer.text('token0.address'),
        answer.text('token1.address'),
      ])
    }
    expect([weth.text('token0.symbol'), usdc.text('token0.symbol')]).toEqual(['WETH', 'USDC'])
    expect(weth.number('price')).toBeCloseTo(usdc.number('priceInverse'), 6)
    expect(weth.number('price')).toBeGreaterThan(500)
  })

  test('get_pool_info knows what does not exist', async () => {
    expect((await world.refuse('get_pool_info', { token0: 'WETH', token1: 'WBTC', fee: 100 })).code).toBe(
      'POOL_NOT_FOUND',
    )
    const nowhere = '0x00000000000000000000000000000000000000aa'
    expect((await world.refuse('get_pool_info', { pool: nowhere })).code).toBe('POOL_NOT_FOUND')
    expect((await world.refuse('get_pool_info', { pool: `0x${'ab'.repeat(32)}` })).code).toBe('POOL_NOT_FOUND')
  })

  test.each(versions)('get_pool_state gives the raw state of a %s pool', async (version) => {
    const pool = poolOf(version)
    const state = await world.call('get_pool_state', { pool: pool.id, version })
    const info = await world.call('get_pool_info', { pool: pool.id, version })
    const [decimals0, decimals1] = [info.number('token0.decimals'), info.number('token1.decimals')]
    const root = Number(state.text('sqrtPriceX96')) / 2 ** 96
    expect((root ** 2 * 10 ** (decimals0 - decimals1)) / info.number('price')).toBeCloseTo(1, 4)
    expect(state.at('tickSpacing')).toBe(pool.tickSpacing)
    expect(BigInt(state.text('liquidityRaw'))).toBeGreaterThan(0n)
    expect(state.at('reserve0Raw') === null).toBe(version !== 'v2')
    expect(state.at('feeGrowthGlobal0X128') === null).toBe(version === 'v2')
  })

  test('get_pools_by_token_pair finds every pool of the pair, deepest first', async () => {
    const answer = await world.call('get_pools_by_token_pair', { token0: 'USDC', token1: 'WETH' })
    const items = answer.list('items')
    const expected = devnet().pools.filter((pool) => pool.label.startsWith('WETH/USDC'))
    expect(items.map((item) => item.text('poolAddress')).sort()).toEqual(expected.map((pool) => pool.id).sort())
    const sizes = items.map((item) => item.number('tvlUsd'))
    expect(sizes[0]).toBe(Math.max(...sizes))
    expect(items.every((item) => item.number('feeApr7d') > 0)).toBe(true)
  })

  test('get_pools_by_token_pair takes native currency for itself on v4, and for its wrapped form elsewhere', async () => {
    const answer = await world.call('get_pools_by_token_pair', { token0: 'ETH', token1: 'USDC' })
    const expected = devnet().pools.filter(({ label, version }) =>
      label.startsWith(version === 'v4' ? 'ETH/USDC' : 'WETH/USDC'),
    )
    const found = answer.list('items').map((item) => item.text('poolAddress'))
    expect(new Set(found)).toEqual(new Set(expected.map((pool) => pool.id)))
  })

  test('get_pools_by_token_pair keeps to a version and to pages', async () => {
    const args = { token0: 'USDC', token1: 'WETH', version: 'v3' }
    const all = (await world.call('get_pools_by_token_pair', args))
      .list('items')
      .map((item) => item.text('poolAddress'))
    expect(all).toHaveLength(4)
    const first = await world.call('get_pools_by_token_pair', { ...args, limit: 3 })
    const rest = await world.call('get_pools_by_token_pair', { ...args, limit: 3, cursor: first.text('nextCursor') })
    expect([...first.list('items'), ...rest.list('items')].map((item) => item.text('poolAddress'))).toEqual(all)
    expect(rest.at('nextCursor')).toBeNull()
  })

  test('get_pools_by_token_pair answers in time rather than with everything', async () => {
    const slow = await openWorld(devnet(), { figuresWithinMs: 200 })
    // Swap logs never come; what is not made of them does.
    slow.network.fetch = (input, init) =>
      typeof init?.body === 'string' && init.body.includes('eth_getLogs')
        ? new Promise(() => undefined)
        : fetch(input, init)
    const items = (await slow.call('get_pools_by_token_pair', { token0: 'WETH', token1: 'USDC' })).list('items')
    await slow.close()
    expect(items.length).toBeGreaterThan(3)
    for (const item of items) {
      expect(item.data).toMatchObject({
        volume7dUsd: null,
        feeApr7d: null,
        notes: [expect.stringContaining('in time')],
      })
    }
    expect(items[0]!.number('tvlUsd')).toBeGreaterThan(0)
  })

  test('get_pools_by_token_pair finds nothing for a pair without pools, and a hook nobody uses', async () => {
    expect((await world.call('get_pools_by_token_pair', { token0: 'WBTC', token1: 'DAI' })).at('items')).toEqual([])
    const hooks = '0x0000000000000000000000000000000000000080'
    expect(
      (await world.call('get_pools_by_token_pair', { token0: 'WETH', token1: 'USDC', hooks })).at('items'),
    ).toEqual([])
  })
})
