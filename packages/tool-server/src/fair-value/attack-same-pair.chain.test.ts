import { v2PairAddress } from '@svc/amm/liquidity'
import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()

it.each(['remove', 'add'])('a batch that does %s and then add in one pair is carried out', async (first) => {
  const world = await openWorld(devnet())
  const stranger = await openStranger(devnet())
  await devnet().fund(stranger.address, { DAI: '200000' })
  const [dai, usdc] = [world.address('DAI'), world.address('USDC')]
  const sorted = BigInt(dai) < BigInt(usdc) ? ([dai, usdc] as const) : ([usdc, dai] as const)
  const pair = v2PairAddress(devnet().chain.amm.v2!, ...sorted)
  await stranger.addV2(dai, usdc, parseUnits('100000', 18), parseUnits('100000', 6))
  await syncClock(world)
  const add = { token0: 'DAI', token1: 'USDC', version: 'v2' }
  await world.call('add_liquidity', { ...add, amount0: '450', amount1: '450' })
  const operations = [
    first === 'add'
      ? { type: 'add', params: { ...add, amount0: '500', amount1: '500' } }
      : { type: 'remove', positionId: pair, params: { version: 'v2', percentage: 50 } },
    { type: 'add', params: { ...add, amount0: '1000', amount1: '1000' } },
  ]
  const made = await world.call('batch_lp_operations', { operations })
  expect(made.text('status')).toBe('success')
  await world.close()
})
