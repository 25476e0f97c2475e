import { useDevnet } from '@svc/devnet/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { earlyInAnHour, headTime, idOf } from '../tools/orders/order-world.fixture.ts'
import { syncClock } from './attack-kit.fixture.ts'
import { setBaseFee } from './gifts.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

const gwei = 1_000_000_000n

async function openOrder(amount: string, limit: string, daily: string) {
  const limitsUsd = { perTransaction: limit, perSession: limit, daily }
  const { twammHooks } = ownPolicy(devnet())
  const policy = {
    version: 1,
    allowlist: { mode: 'strict' },
    limitsUsd,
    approvalThresholdUsd: null,
    twammHooks,
  } as const
  world = await openWorld(devnet(), { policy: { ...policy, maxLossBps: 300 } })
  await earlyInAnHour(devnet(), world)
  await setBaseFee(devnet(), gwei)
  await syncClock(world)
  return idOf(await world.call('submit_twamm_order', { tokenIn: 'WETH', tokenOut: 'USDC', amount, duration: 14_400 }))
}

async function cancel(order: ReturnType<typeof idOf>): Promise<string> {
  return world.call('cancel_twamm_order', order).then(
    () => 'cancelled',
    (error: unknown) => String(error).slice(0, 400),
  )
}

describe('G13: an order that holds more than twenty times what its end costs can be ended', () => {
  it('where gas is dear', async () => {
    const order = await openOrder('4', '20000', '20000')
    await setBaseFee(devnet(), 200n * gwei)
    await syncClock(world)
    expect(await cancel(order)).toBe('cancelled')
  })

  it('after an agent has claimed what it earns over and over', async () => {
    const order = await openOrder('0.16', '500', '2000')
    for (let turn = 0; turn < 12; turn += 1) {
      await devnet().mineTo((await headTime(world)) + 30)
      await setBaseFee(devnet(), 5n * gwei)
      await syncClock(world)
      await world.call('claim_twamm_order', order).catch(() => null)
    }
    // Twenty-one dollars at worst, where the order holds 480.
    await setBaseFee(devnet(), 7n * gwei)
    await syncClock(world)
    expect(await cancel(order)).toBe('cancelled')
  })
})
