import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { openWorld, owner, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: an operation of a batch is held to the rule of value that the policy has for its tool', async () => {
  const rule = { maxLossBps: 5, maxPoolDeviationBps: 10 }
  const policy = { version: 1, allowlist: { mode: 'strict' }, valueRules: { tools: { add_liquidity: rule } } } as const
  world = await openWorld(devnet(), { policy })
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const market = devnet().market.prices().ETH
  await pushTo(world, stranger, market * 1.019, true)
  await syncClock(world)
  const params = {
    token0: 'WETH',
    token1: 'USDC',
    fee: 500,
    version: 'v3',
    priceLower: market * 1.01,
    priceUpper: market * 1.02,
    amount0: '0.004',
    slippageBps: 10,
  }
  const alone = await world.refuse('add_liquidity', params)
  const batch = await world
    .call('batch_lp_operations', { operations: [{ type: 'add', params }] })
    .then((answer) => answer.text('status'), String)
  expect(alone.code).toBe('POOL_PRICE_OFF_MARKET')
  expect(batch).toMatch(/POOL_PRICE_OFF_MARKET/)
})

it('G6: a batch makes for its caller no operation whose tool the policy does not grant', async () => {
  const principals = { [owner.id]: { tools: ['batch_lp_operations', 'collect_fees'] } }
  world = await openWorld(devnet(), { policy: { version: 1, principals } })
  const market = devnet().market.prices().ETH
  const range = { priceLower: market * 0.7, priceUpper: market * 1.4 }
  const params = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3', ...range, amount0: '0.01' }
  const code = 'PRINCIPAL_NOT_GRANTED'
  expect(await world.refuse('add_liquidity', params)).toMatchObject({ code })
  const operations = [{ type: 'add', params }]
  expect(await world.refuse('batch_lp_operations', { operations })).toMatchObject({ code })
})
