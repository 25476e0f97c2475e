import { v3PositionManagerAbi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { parseAbi, parseEther } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

const refundAbi = parseAbi(['function refundETH() payable'])

it('G4: native currency that a stranger leaves in the position manager pays for nothing that the wallet adds', async () => {
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3' }
  const market = devnet().market.prices().ETH
  const range = { priceLower: market * 0.8, priceUpper: market * 1.25 }
  const { world: opened, outcome: small } = await openAfter(devnet(), (before) =>
    before.call('add_liquidity', { ...pair, ...range, amount0: '0.01' }),
  )
  world = opened
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const before = await world.balance('WETH')
  const { positionManager } = devnet().chain.amm.v3!
  // The position manager pays for wrapped currency with what it holds of native currency, and hands that out to whoever asks.
  await stranger.write(positionManager, v3PositionManagerAbi, 'multicall', [[]], parseEther('19'))
  beforeSending(world, 1, async () => {
    await stranger.write(positionManager, refundAbi, 'refundETH', [])
  })
  const operations = [
    { type: 'remove', positionId: small.text('positionId'), params: { version: 'v3', percentage: 50 } },
    { type: 'add', params: { ...pair, priceLower: market * 1.05, priceUpper: market * 1.3, amount0: '18' } },
  ]
  expect(await world.refuse('batch_lp_operations', { operations })).toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
  const left = (Number(before - (await world.balance('WETH'))) / 1e18) * market
  expect(left).toBeLessThan(250)
})
