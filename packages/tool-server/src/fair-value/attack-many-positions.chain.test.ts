import { v3PositionManagerAbi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, maxUint256, parseEther } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: positions of dust that a stranger gives the wallet hide none of its own', async () => {
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  world = await openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
  const stranger = await openStranger(devnet())
  const { positionManager } = devnet().chain.amm.v3!
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const pair = { token0: 'WETH', token1: 'USDC', fee: 3_000, version: 'v3' }
  await world.call('add_liquidity', { ...pair, rangeStrategy: 'full', amount0: '12' })
  for (let round = 0; round < 4; round += 1) {
    const held = await stranger.balanceOf(usdc)
    await stranger.swapV3(v3PathOf(weth, 3_000, usdc), parseEther('50'))
    await stranger.swapV3(v3PathOf(usdc, 3_000, weth), (((await stranger.balanceOf(usdc)) - held) * 1_003n) / 1_000n)
  }
  await stranger.approve(positionManager, weth, usdc)
  const [token0, token1] = BigInt(weth) < BigInt(usdc) ? [weth, usdc] : [usdc, weth]
  const rest = { amount0Min: 0n, amount1Min: 0n, recipient: world.wallet, deadline: maxUint256 }
  const ticks = { tickLower: -887_220, tickUpper: 887_220 }
  const amounts = { amount0Desired: 10n ** 10n, amount1Desired: 10n ** 10n }
  const mint = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'mint',
    args: [{ token0, token1, fee: 3_000, ...ticks, ...amounts, ...rest }],
  })
  for (let batch = 0; batch < 24; batch += 1) {
    await stranger.write(positionManager, v3PositionManagerAbi, 'multicall', [Array.from({ length: 9 }, () => mint)])
  }
  await syncClock(world)
  const before = await world.balance('USDC')
  await world.call('harvest_rewards', {}).catch(() => 'refused')
  expect(Number((await world.balance('USDC')) - before) / 1e6).toBeGreaterThan(1)
})
