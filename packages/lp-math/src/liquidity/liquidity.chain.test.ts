import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { v2Abi, v3PositionManagerAbi } from '../amm-abis.fixture.ts'
import { ammContracts, noDeadline } from '../amm-contracts.fixture.ts'
import { getSqrtPriceAtTick, nearestUsableTick } from '../ticks/ticks.ts'
import { amountsForV2Burn, liquidityForV2Mint, quoteLiquidity } from '../v2/shares.ts'
import { getAmountsForLiquidity, getLiquidityForAmounts, mintAmountsWithSlippage } from './liquidity.ts'

const devnet = useDevnet()

test.each([
  { around: 'the price', below: 600, above: 600 },
  { around: 'the price, lopsided', below: 60, above: 12_000 },
  { around: 'nothing but token0', below: -600, above: 1200 },
  { around: 'nothing but token1', below: 1200, above: -600 },
  { around: 'everything', below: 2_000_000, above: 2_000_000 },
])('a v3 mint around $around gives and takes what was computed, and its burn gives back', async ({ below, above }) => {
  const chain = ammContracts(devnet())
  const { client, account } = chain
  const { token0, token1, fee, ...pool } = chain.find('v3', 'WETH/USDC 0.3 %')
  const manager = { account, address: chain.addresses.v3.positionManager, abi: v3PositionManagerAbi } as const
  await chain.approve([token0, token1], manager.address)
  const { sqrtPriceX96, tick } = await chain.v3.state({ token0, token1, fee, ...pool })
  const tickLower = Math.max(nearestUsableTick(Math.max(tick - below, -887_272), 60), -887_220)
  const tickUpper = Math.min(nearestUsableTick(Math.min(tick + above, 887_272), 60), 887_220)
  const [lower, upper] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  const amount0Desired = (10n ** BigInt(chain.decimalsOf(token0)) * 7n) / 3n
  const amount1Desired = (10n ** BigInt(chain.decimalsOf(token1)) * 11n) / 7n
  const computed = getLiquidityForAmounts(sqrtPriceX96, lower, upper, amount0Desired, amount1Desired)
  const position = { sqrtPriceX96, sqrtPriceAX96: lower, sqrtPriceBX96: upper, liquidity: computed }
  const least = mintAmountsWithSlippage({ ...position, slippageBps: 0 })

  const range = { token0, token1, fee, tickLower, tickUpper, recipient: account, deadline: noDeadline }
  const order = { amount0Desired, amount1Desired, amount0Min: least.amount0, amount1Min: least.amount1 }
  const mint = { ...manager, functionName: 'mint', args: [{ ...range, ...order }] } as const
  const { result } = await client.simulateContract(mint)
  const [tokenId, liquidity, amount0, amount1] = result
  expect(computed).toBe(liquidity)
  expect(getAmountsForLiquidity(sqrtPriceX96, lower, upper, liquidity, true)).toEqual({ amount0, amount1 })

  await chain.mined(client.writeContract(mint))
  const { result: burnt } = await client.simulateContract({
    ...manager,
    functionName: 'decreaseLiquidity',
    args: [{ tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: noDeadline }],
  })
  const [back0, back1] = burnt
  expect(getAmountsForLiquidity(sqrtPriceX96, lower, upper, liquidity, false)).toEqual({
    amount0: back0,
    amount1: back1,
  })
})

test('a v2 mint and burn give the pair tokens and amounts computed before them', async () => {
  const chain = ammContracts(devnet())
  const { client, account } = chain
  const pair = chain.find('v2', 'WETH/USDC 0.3 %')
  const router = { account, address: chain.addresses.v2.router, abi: v2Abi } as const
  await chain.approve([pair.token0, pair.token1, pair.id], router.address)
  const before = await chain.readV2(pair.id)
  const amount0 = before.reserve0 / 100_003n
  const amount1 = quoteLiquidity(amount0, before.reserve0, before.reserve1)
  const add = {
    ...router,
    functionName: 'addLiquidity',
    args: [pair.token0, pair.token1, amount0, before.reserve1, 0n, 0n, account, noDeadline],
  } as const
  const { result: minted } = await client.simulateContract(add)
  const liquidity = liquidityForV2Mint(amount0, amount1, before.reserve0, before.reserve1, before.totalSupply)
  expect(minted).toEqual([amount0, amount1, liquidity])

  await chain.mined(client.writeContract(add))
  const after = await chain.readV2(pair.id)
  const { result: burnt } = await client.simulateContract({
    ...router,
    functionName: 'removeLiquidity',
    args: [pair.token0, pair.token1, liquidity, 0n, 0n, account, noDeadline],
  })
  const expected = amountsForV2Burn(liquidity, after.reserve0, after.reserve1, after.totalSupply)
  expect(burnt).toEqual([expected.amount0, expected.amount1])
})
