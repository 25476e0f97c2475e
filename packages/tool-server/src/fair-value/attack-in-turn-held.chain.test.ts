import { useDevnet } from '@svc/devnet/testing'
import { parseTransaction } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a move in turn whose pool is pushed until the last step is signed adds no more than the limits let out', async () => {
  const market = devnet().market.prices().ETH
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3' }
  const range = { priceLower: market * 0.983, priceUpper: market * 1.016 }
  const add = (before: World) => before.call('add_liquidity', { ...pair, ...range, amount0: '0.8' })
  const { outcome: opened, ...now } = await openAfter(devnet(), add)
  world = now.world
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const before = await world.balance('USDC')
  const manager = devnet().chain.amm.v3!.positionManager.toLowerCase()
  let calls = 0
  const { fetch } = world.network
  world.network.fetch = async (input, init) => {
    const [raw] = /0x02[0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    if (raw !== undefined && parseTransaction(raw as `0x02${string}`).to?.toLowerCase() === manager) {
      calls += 1
      // It stays so while the swap and the last step are simulated anew, and is taken back before the last is mined.
      await pushTo(world, stranger, calls === 1 ? market * 0.9841 : market, calls !== 1)
    }
    return fetch(input, init)
  }
  await world
    .call('rebalance_position', {
      positionId: opened.text('positionId'),
      version: 'v3',
      token0: 'WETH',
      priceLower: market * 0.9815,
      priceUpper: market * 1.015,
      slippageBps: 175,
    })
    .catch(() => 'refused')
  const leftUsd = Number(before - (await world.balance('USDC'))) / 1e6
  // As much as one transaction may spend by default; a person is asked above half of that.
  expect(leftUsd).toBeLessThan(500)
})
