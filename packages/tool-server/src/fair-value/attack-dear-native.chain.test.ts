import { useDevnet } from '@svc/devnet/testing'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '@svc/lp-math'
import { parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, passBlocks, syncClock, worthOf } from './attack-kit.fixture.ts'
import { ownersPosition, setBaseFee } from './gifts.fixture.ts'

const devnet = useDevnet()

it('G13: who empties a named pool of native currency for minutes makes the gas of no removal too dear', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  await devnet().fund(stranger.address, { USDC: '20000000' })
  await syncClock(world)
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const big = await ownersPosition(world, stranger, 3_000, { WETH: '33', USDC: '99000' })
  const deposit = { version: 'v3', token0: 'WETH', token1: 'USDC', fee: 500, amount0: '0.03', rangeStrategy: 'full' }
  const small = await world.call('add_liquidity', deposit)
  const { swapRouter02 } = devnet().chain.amm.v3!
  await stranger.approve(swapRouter02, weth, usdc)
  const swap = (tokenIn: typeof weth, tokenOut: typeof weth, amountIn: bigint, sqrtPriceLimitX96: bigint) =>
    stranger.write(swapRouter02, v3SwapRouter02Abi, 'exactInputSingle', [
      { tokenIn, tokenOut, fee: 500, recipient: stranger.address, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 },
    ])
  const held = await stranger.balanceOf(weth)
  const furthest = BigInt(weth) < BigInt(usdc) ? MAX_SQRT_PRICE - 1n : MIN_SQRT_PRICE + 1n
  await swap(usdc, weth, parseUnits('15000000', 6), furthest)
  await passBlocks(devnet(), stranger, 60)
  await swap(weth, usdc, (await stranger.balanceOf(weth)) - held, 0n)
  const before = await worthOf(world)
  for (const positionId of [big, small.text('positionId')]) {
    await setBaseFee(devnet(), 9_000_000_000n)
    await syncClock(world)
    await world.call('remove_liquidity', { positionId, version: 'v3', slippageBps: 500 })
  }
  expect((await worthOf(world)) - before).toBeGreaterThan(150_000)
  await world.close()
})
