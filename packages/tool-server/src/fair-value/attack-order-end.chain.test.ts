import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import * as z from 'zod'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { earlyInAnHour } from '../tools/orders/order-world.fixture.ts'
import { syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: an order that a person approved ends when the plan said, or is not placed', async () => {
  const limitsUsd = { perTransaction: '20000', perSession: '20000', daily: '20000' }
  const policy = { ...ownPolicy(devnet()), limitsUsd, approvalThresholdUsd: '250', maxLossBps: 300 }
  world = await openWorld(devnet(), { policy })
  await earlyInAnHour(devnet(), world)
  await syncClock(world)
  const order = { tokenIn: 'WETH', tokenOut: 'USDC', duration: 3_600 }
  const { code, details } = await world.refuse('submit_twamm_order', { ...order, amount: '1' })
  expect(code).toBe('APPROVAL_REQUIRED')
  const id = z.string().parse(details[0]?.['operationId'])
  const operation = (await world.store.operations.byId(id))!
  const shown = /until (\d{4}-[^.]+\.\d{3}Z)/.exec(operation.plan)?.[1]
  await world.store.operations.decide(id, { approved: true, by: 'operator:cli', planHash: operation.planHash })
  // A wallet has one order of a direction for each end, and orders of some cents need nobody's word.
  for (let turn = 0; turn < 5; turn += 1) {
    await syncClock(world)
    await world.call('submit_twamm_order', { ...order, amount: '0.0001' })
  }
  await syncClock(world)
  const placed = await world.call('execute_plan', { planId: id }).then(
    (answer) => answer.text('expiresAt'),
    (error: unknown) => String(error),
  )
  expect(shown).toBeDefined()
  expect([shown, expect.stringContaining('SIMULATION_DRIFT')]).toContainEqual(placed)
})
