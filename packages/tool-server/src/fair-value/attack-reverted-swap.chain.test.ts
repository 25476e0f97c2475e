import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: a trade that a stranger makes revert has lost nothing', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const before = await world.balance('USDC')
  beforeSending(world, 2, async () => {
    for (const fee of [100, 500, 3_000]) {
      await stranger.swapV3(v3PathOf(world.address('USDC'), fee, world.address('WETH')), 1_500_000_000_000n)
    }
  })
  const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '200', version: 'v3' }
  expect(await world.refuse('execute_swap', swap)).toMatchObject({ code: 'TRANSACTION_REVERTED' })
  await syncClock(world)
  const safety = await world.call('check_safety_status')
  expect(await world.balance('USDC')).toBe(before)
  expect(Number(safety.at('valueUsd.lossAtMost.used'))).toBeLessThan(2)
  const again = await world.call('execute_swap', { ...swap, amount: '100', version: 'v2' })
  expect(again.text('status')).toBe('success')
})
