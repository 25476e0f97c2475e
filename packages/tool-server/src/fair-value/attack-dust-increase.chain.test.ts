import { v3PositionManagerAbi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { maxUint256 } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: fees count as settled though a stranger adds a grain to the position in each block', async () => {
  const policy = { version: 1, approvalThresholdUsd: '20' } as const
  const opened = await openAfter(
    devnet(),
    (before) =>
      before.call('add_liquidity', { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'narrow', amount0: '3' }),
    { policy },
  )
  world = opened.world
  const stranger = await openStranger(devnet())
  const positionId = opened.outcome.text('positionId')
  await devnet().trade(60, 3, [opened.outcome.text('pool.poolAddress') as `0x${string}`])
  await testClient(devnet()).mine({ blocks: 3 })
  await syncClock(world)
  const compound = { positionId, version: 'v3', swapToRatio: false, dryRun: true }
  expect((await world.call('compound_fees', compound)).at('plan.policy')).toMatchObject({ conditions: [] })
  const { positionManager } = devnet().chain.amm.v3!
  await stranger.approve(positionManager, world.address('WETH'), world.address('USDC'))
  const isWethFirst = BigInt(world.address('WETH')) < BigInt(world.address('USDC'))
  const grain = [10n ** 10n, 100n] as const
  await stranger.write(positionManager, v3PositionManagerAbi, 'increaseLiquidity', [
    {
      tokenId: BigInt(positionId),
      amount0Desired: isWethFirst ? grain[0] : grain[1],
      amount1Desired: isWethFirst ? grain[1] : grain[0],
      amount0Min: 0n,
      amount1Min: 0n,
      deadline: maxUint256,
    },
  ])
  await syncClock(world)
  const dusted = (await world.call('compound_fees', compound)).at('plan.policy')
  expect(dusted).toMatchObject({ conditions: [] })
})
