import { useDevnet } from '@svc/devnet/testing'
import { parseTransaction } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a move in one transaction adds no more of the wallet than the limits let out, at prices between the ends, too', async () => {
  const market = devnet().market.prices().ETH
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3' }
  const range = { priceLower: market * 0.99, priceUpper: market * 1.01 }
  const add = (before: World) => before.call('add_liquidity', { ...pair, ...range, amount0: '6' })
  const { outcome: opened, ...now } = await openAfter(devnet(), add)
  world = now.world
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const before = await world.balance('USDC')
  const manager = devnet().chain.amm.v3!.positionManager.toLowerCase()
  let isPushed = false
  const { fetch } = world.network
  world.network.fetch = async (input, init) => {
    const [raw] = /0x02[0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    if (!isPushed && raw !== undefined && parseTransaction(raw as `0x02${string}`).to?.toLowerCase() === manager) {
      isPushed = true
      await pushTo(world, stranger, market * 0.987, false)
    }
    return fetch(input, init)
  }
  await world
    .call('rebalance_position', {
      positionId: opened.text('positionId'),
      version: 'v3',
      token0: 'WETH',
      priceLower: market * 0.9,
      priceUpper: market * 0.985,
      swapToRatio: false,
      slippageBps: 500,
    })
    .catch(() => 'refused')
  const leftUsd = Number(before - (await world.balance('USDC'))) / 1e6
  // Above this a person must be asked.
  expect(leftUsd).toBeLessThan(250)
})
