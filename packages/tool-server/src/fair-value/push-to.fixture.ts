import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'

/** Trades in the v3 pool WETH/USDC of 0.05 % until an ether costs so many dollars there. */
export async function pushTo(world: World, stranger: ChainActor, usd: number, isUp: boolean): Promise<void> {
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const isFirst = BigInt(weth) < BigInt(usdc)
  const sqrtPriceLimitX96 = isFirst
    ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
    : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
  const [tokenIn, tokenOut] = isUp ? [usdc, weth] : [weth, usdc]
  const amountIn = await stranger.balanceOf(tokenIn)
  const router = world.devnet.chain.amm.v3!.swapRouter02
  await stranger.approve(router, tokenIn)
  const recipient = stranger.address
  const swap = { tokenIn, tokenOut, fee: 500, recipient, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 }
  await stranger.write(router, v3SwapRouter02Abi, 'exactInputSingle', [swap])
}
