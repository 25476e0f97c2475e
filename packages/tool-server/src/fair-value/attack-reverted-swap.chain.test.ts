import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { parseTransaction } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, testClient } from './attack-kit.fixture.ts'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** What counts as lost once no other block can make the trade lose anything, in US dollars. */
async function lostOnceDeep(): Promise<number> {
  await testClient(devnet()).mine({ blocks: 2 })
  await syncClock(world)
  await world.executor.reconcile()
  return Number((await world.call('check_safety_status')).at('valueUsd.lossAtMost.used'))
}

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
  expect(await world.balance('USDC')).toBe(before)
  expect(await lostOnceDeep()).toBeLessThan(2)
  const again = await world.call('execute_swap', { ...swap, amount: '100', version: 'v2' })
  expect(again.text('status')).toBe('success')
})

it('G13: a move in turn that a stranger cuts off once its position is closed has lost nothing', async () => {
  const all = '1000000'
  const unlimited = { perTransaction: all, perSession: all, daily: all }
  world = await openWorld(devnet(), { policy: { version: 1, limitsUsd: unlimited, approvalThresholdUsd: null } })
  const market = devnet().market.prices().ETH
  const opened = await world.call('add_liquidity', {
    token0: 'WETH',
    token1: 'USDC',
    fee: 500,
    version: 'v3',
    priceLower: market * 0.9,
    priceUpper: market * 1.1,
    amount0: '3.7',
  })
  const { privateKey } = world.again
  await world.close()
  const limitsUsd = { perTransaction: '5000', perSession: '10000', daily: '20000' }
  world = await openWorld(devnet(), {
    again: { dataDir: await mkdtemp(join(tmpdir(), 'tools-')), privateKey },
    policy: { version: 1, limitsUsd, maxDailyLossUsd: '40', approvalThresholdUsd: null },
  })
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const manager = devnet().chain.amm.v3!.positionManager.toLowerCase()
  const { fetch } = world.network
  let isClosed = false
  world.network.fetch = async (input, init) => {
    const response = await fetch(input, init)
    const [raw] = /0x02[0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    const isClose = raw !== undefined && parseTransaction(raw as `0x02${string}`).to?.toLowerCase() === manager
    if (isClose && !isClosed) {
      isClosed = true
      await pushTo(world, stranger, market * 0.993, false)
    }
    return response
  }
  const move = { version: 'v3', token0: 'WETH', priceLower: market * 0.89, priceUpper: market * 1.07 }
  const asked = { positionId: opened.text('positionId'), ...move }
  expect(await world.refuse('rebalance_position', asked)).toMatchObject({ code: 'OPERATION_INCOMPLETE' })
  // All that the move might have lost was some 39 of 40.
  expect(await lostOnceDeep()).toBe(0)
})
