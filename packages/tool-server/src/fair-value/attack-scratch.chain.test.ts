import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { openWorld, owner, type World } from '../tools/chain-world.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G6: a batch makes for a caller only what the policy grants him', async () => {
  const principals = { [owner.id]: { tools: ['batch_lp_operations', 'collect_fees'] } }
  world = await openWorld(devnet(), { policy: { version: 1, principals } })
  const params = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3', priceLower: 2000, priceUpper: 4000, amount0: '0.01' }
  expect((await world.refuse('add_liquidity', params)).code).toBe('PRINCIPAL_NOT_GRANTED')
  const refused = await world.call('batch_lp_operations', { operations: [{ type: 'add', params }] }).catch((e: unknown) => `${e}`)
  console.log(JSON.stringify(refused).slice(0, 600))
  expect(refused).toContain('PRINCIPAL_NOT_GRANTED')
})
