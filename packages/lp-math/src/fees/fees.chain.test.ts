import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { v3PoolAbi, v3PositionManagerAbi, v4PoolManagerAbi } from '../amm-abis.fixture.ts'
import { ammContracts, noDeadline } from '../amm-contracts.fixture.ts'
import { nearestUsableTick } from '../ticks/ticks.ts'
import { type FeeGrowth, feeGrowthFromSwaps, feesOwed } from './fees.ts'

const devnet = useDevnet()

test('the growth told from v3 Swap logs is the growth the pool booked, within a millionth, in every seeded range', async () => {
  const chain = ammContracts(devnet())
  const pool = chain.find('v3', 'WETH/USDC 0.05 %')
  const start = await chain.v3.state(pool)
  const ranges = await chain.v3.ranges(pool)
  const before = await Promise.all(ranges.map(async (range) => await chain.v3.growthInside(pool, range)))
  const fromBlock = (await chain.client.getBlockNumber()) + 1n
  await devnet().trade(60, 'fees', [pool.id])
  const logs = await chain.client.getLogs({ address: pool.id, event: v3PoolAbi[1], fromBlock, strict: true })
  const swaps = logs.map(({ args: { amount0, amount1, sqrtPriceX96, liquidity } }) => ({
    amount0,
    amount1,
    sqrtPriceX96After: sqrtPriceX96,
    liquidity,
  }))
  expect(swaps.length).toBeGreaterThanOrEqual(60)
  for (const [index, range] of ranges.entries()) {
    const reported = feeGrowthFromSwaps({ swaps, start, feePips: pool.fee, ...range })
    expectWithinAMillionth(reported, before[index]!, await chain.v3.growthInside(pool, range))
  }
})

test('and from v4 Swap logs, their signs turned, as StateView tells it', async () => {
  const chain = ammContracts(devnet())
  const pool = chain.find('v4', 'ETH/USDC 0.05 %')
  const start = await chain.v4.state(pool)
  const ranges = await chain.v4.ranges(pool)
  const before = await Promise.all(ranges.map(async (range) => await chain.v4.growthInside(pool, range)))
  const fromBlock = (await chain.client.getBlockNumber()) + 1n
  await devnet().trade(60, 'fees', [pool.id])
  const from = { address: chain.addresses.v4.poolManager, args: { id: pool.id }, fromBlock, strict: true } as const
  const logs = await chain.client.getLogs({ ...from, event: v4PoolManagerAbi[1] })
  const swaps = logs.map(({ args: { amount0, amount1, sqrtPriceX96, liquidity, fee } }) => ({
    amount0: -amount0,
    amount1: -amount1,
    sqrtPriceX96After: sqrtPriceX96,
    liquidity,
    feePips: fee,
  }))
  expect(swaps.length).toBeGreaterThanOrEqual(60)
  for (const [index, range] of ranges.entries()) {
    const reported = feeGrowthFromSwaps({ swaps, start, feePips: 0, ...range })
    expectWithinAMillionth(reported, before[index]!, await chain.v4.growthInside(pool, range))
  }
})

test('a v3 position can collect what the growth inside its range owes it', async () => {
  const chain = ammContracts(devnet())
  const { client, account } = chain
  const pool = chain.find('v3', 'WETH/USDC 0.3 %')
  const { token0, token1, fee } = pool
  const manager = {
    account,
    address: chain.addresses.v3.positionManager,
    abi: v3PositionManagerAbi,
  } as const
  await chain.approve([token0, token1], manager.address)
  const { tick } = await chain.v3.state(pool)
  const range = { tickLower: nearestUsableTick(tick - 900, 60), tickUpper: nearestUsableTick(tick + 900, 60) }
  const amount0Desired = 10n ** BigInt(chain.decimalsOf(token0))
  const amount1Desired = 10n ** BigInt(chain.decimalsOf(token1))
  const order = {
    amount0Desired,
    amount1Desired,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: account,
    deadline: noDeadline,
  }
  const mint = { ...manager, functionName: 'mint', args: [{ token0, token1, fee, ...range, ...order }] } as const
  const { result } = await client.simulateContract(mint)
  const [tokenId, liquidity] = result
  await chain.mined(client.writeContract(mint))

  const last = await chain.v3.growthInside(pool, range)
  await devnet().trade(40, 'collect', [pool.id])
  const now = await chain.v3.growthInside(pool, range)
  const most = { amount0Max: 2n ** 128n - 1n, amount1Max: 2n ** 128n - 1n }
  const { result: collected } = await client.simulateContract({
    ...manager,
    functionName: 'collect',
    args: [{ tokenId, recipient: account, ...most }],
  })
  expect(collected[0] + collected[1]).toBeGreaterThan(0n)
  expect(collected).toEqual(now.map((growth, token) => feesOwed(liquidity, growth, last[token]!)))
})

function expectWithinAMillionth(
  reported: FeeGrowth,
  before: readonly [bigint, bigint],
  now: readonly [bigint, bigint],
): void {
  for (const [token, growth] of [reported.growth0X128, reported.growth1X128].entries()) {
    const booked = BigInt.asUintN(256, now[token]! - before[token]!)
    expect(booked).toBeGreaterThan(0n)
    expect(Math.abs(Number(growth) / Number(booked) - 1)).toBeLessThan(1e-6)
  }
}
