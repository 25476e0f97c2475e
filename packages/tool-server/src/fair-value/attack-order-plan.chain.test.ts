import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import * as z from 'zod'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { earlyInAnHour, hookedKey, stranger } from '../tools/orders/order-world.fixture.ts'
import { syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: an order that a person approved is placed in the pool that the plan showed, or not at all', async () => {
  const { hook, pool: own } = devnet().twamm
  const actor = await stranger(devnet())
  const bare = await openWorld(devnet())
  const state = await bare.call('get_pool_state', { pool: own.id })
  await bare.close()
  // A second pool of the hook that the operator names: its fee is five times as high, and hardly anything is in it.
  const key = hookedKey(devnet(), 15_000)
  const other = await actor.initializeV4(key, BigInt(state.text('sqrtPriceX96')))
  const tick = Math.floor(state.number('tick') / key.tickSpacing) * key.tickSpacing
  await actor.mintV4(key, tick - 200 * key.tickSpacing, tick + 200 * key.tickSpacing, 10n ** 13n)
  const twammHooks = { [devnet().chainId]: [{ hook, pools: [own.id, other] }] }
  const limitsUsd = { perTransaction: '20000', perSession: '20000', daily: '20000' }
  world = await openWorld(devnet(), {
    policy: { ...ownPolicy(devnet()), twammHooks, limitsUsd, approvalThresholdUsd: '250', maxLossBps: 300 },
  })
  await earlyInAnHour(devnet(), world)
  await syncClock(world)
  const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 3_600 }
  const { code, details } = await world.refuse('submit_twamm_order', order)
  expect(code).toBe('APPROVAL_REQUIRED')
  const id = z.string().parse(details[0]?.['operationId'])
  const operation = (await world.store.operations.byId(id))!
  expect(operation.plan).toContain('"fee":"3000"')
  await world.store.operations.decide(id, { approved: true, by: 'operator:cli', planHash: operation.planHash })
  // Liquidity that is lent for a block makes the other one the deepest.
  await actor.mintV4(key, tick - 20 * key.tickSpacing, tick + 21 * key.tickSpacing, 10n ** 18n)
  await syncClock(world)
  const placed = await world.call('execute_plan', { planId: id }).then(
    (answer) => answer.text('pool'),
    (error: unknown) => String(error),
  )
  expect([own.id, expect.stringContaining('SIMULATION_DRIFT')]).toContainEqual(placed)
  expect(placed).not.toBe(other)
})
