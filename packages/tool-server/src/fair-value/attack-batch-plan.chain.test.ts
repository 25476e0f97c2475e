import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: what a plan of a batch shows to arrive at least arrives', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate } })
  const market = devnet().market.prices().ETH
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3' }
  const range = { priceLower: market * 0.985, priceUpper: market * 1.015 }
  const ids = [
    await world.call('add_liquidity', { ...pair, ...range, amount0: '0.03' }),
    await world.call('add_liquidity', { ...pair, ...range, amount0: '0.03' }),
  ].map((opened) => opened.text('positionId'))
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const operations = ids.map((positionId) => ({ type: 'remove', positionId, params: { slippageBps: 50 } }))
  const plan = await world.call('batch_lp_operations', { operations, dryRun: true })
  const least = new Map(
    plan.list('plan.bounds.receivesAtLeast').map((one) => [one.text('symbol'), Number(one.text('amount'))]),
  )
  const before = await world.balance('WETH')
  await pushTo(world, stranger, market * 1.0045, true)
  await syncClock(world)
  beforeSending(world, 1, () => pushTo(world, stranger, market * 1.009, true))
  // Refused is as good.
  const isDone = await world.call('execute_plan', { planId: plan.text('plan.planId') }).then(
    () => true,
    () => false,
  )
  const came = Number((await world.balance('WETH')) - before) / 1e18
  expect(isDone ? came : Infinity).toBeGreaterThanOrEqual(least.get('WETH') ?? Infinity)
})
