import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openAfter, openStranger, strict, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a batch that takes own liquidity out and puts it back adds no more of the wallet than the limits let out', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v4' }
  const market = devnet().market.prices().ETH
  const range = { priceLower: market * 0.97, priceUpper: market * 1.03 }
  const add = (before: World) => before.call('add_liquidity', { ...pair, ...range, amount0: '6' })
  const { outcome: opened, ...now } = await openAfter(devnet(), add, { policy: { ...strict, batchDelegate } })
  world = now.world
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const key = v4Key(world.address('WETH'), world.address('USDC'), 500, 10)
  const isWethFirst = key.currency0.toLowerCase() === world.address('WETH').toLowerCase()
  const before = await world.balance('USDC')
  beforeSending(world, 1, async () => {
    await stranger.swapV4(key, isWethFirst, 40n * 10n ** 18n)
  })
  const operations = [
    { type: 'remove', positionId: opened.text('positionId'), params: { version: 'v4', slippageBps: 500 } },
    {
      type: 'add',
      params: {
        ...pair,
        token0: 'USDC',
        token1: 'WETH',
        priceLower: 1 / (market * 0.94),
        priceUpper: 1 / (market * 0.8),
        amount0: '17000',
        slippageBps: 500,
      },
    },
  ]
  await world.call('batch_lp_operations', { operations }).catch(() => 'refused')
  const left = Number(before - (await world.balance('USDC'))) / 1e6
  // Above this a person must be asked.
  expect(left).toBeLessThan(250)
})
