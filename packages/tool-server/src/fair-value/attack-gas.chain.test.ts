import { useDevnet } from '@svc/devnet/testing'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { type Address, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G13: a hook that burns the gas of whoever deposits, in a pool of named tokens', () => {
  it.each([
    ['what a day may burn', { maxDailyGasUsd: '160' }, 1, 160],
    ['nothing, where the policy leaves it at what a day may lose', {}, 0, 40],
  ])('costs the owner no more than %s', async (_what, change, leastCalls, mostUsd) => {
    const policy = { version: 1, allowlist: { mode: 'strict' }, ...change } as const
    const world = await openWorld(devnet(), { policy })
    const hook = await openBurner()
    const before = await world.balance('ETH')
    const refusals = []
    let calls = 0
    while (refusals.length === 0 && calls < 20) {
      await setBaseFee(1_000_000_000n)
      await syncClock(world)
      const deposit = { token0: 'WETH', token1: 'USDC', fee: 3_000, version: 'v4', amount0: '0.0001' }
      const refusal = await world
        .refuse('add_liquidity', { ...deposit, hookAddress: hook, rangeStrategy: 'full' })
        .catch(() => null)
      if (refusal === null) calls += 1
      else refusals.push(refusal)
    }
    const burntUsd = (Number(before - (await world.balance('ETH'))) / Number(parseEther('1'))) * 3_000
    await world.close()
    expect(refusals).toMatchObject([{ code: 'SPENDING_LIMIT_EXCEEDED', details: [{ limit: 'maxDailyGasUsd' }] }])
    expect(calls).toBeGreaterThanOrEqual(leastCalls)
    expect(burntUsd).toBeLessThanOrEqual(mostUsd)
    expect(burntUsd).toBeGreaterThanOrEqual(calls * 15)
  })
})

/** A pool at the market whose hook takes six million of gas before liquidity is added, and is asked nothing else. */
async function openBurner(): Promise<Address> {
  const stranger = await openStranger(devnet())
  const hook: Address = '0x00000000000000000000000000000000aa000800'
  // INVALID takes all the gas that it is given.
  const wasteful: Address = '0x000000000000000000000000000000000000b04e'
  await testClient(devnet()).setCode({ address: wasteful, bytecode: '0xfe' })
  const waste = `6000600060006000600073${wasteful.slice(2)}62${(6_000_000).toString(16).padStart(6, '0')}f150`
  // It answers with the selector that it was asked by.
  await testClient(devnet()).setCode({ address: hook, bytecode: `0x${waste}6020600060003760206000f3` })
  const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => devnet().tokens.find((one) => one.symbol === symbol)!.address)
  const key = v4Key(weth!, usdc!, 3_000, 60, hook)
  const isWethFirst = key.currency0 === weth
  await stranger.initializeV4(
    key,
    isWethFirst ? sqrtPriceFromPrice('3000', 18, 6) : sqrtPriceFromPrice((1 / 3_000).toFixed(18), 6, 18),
  )
  return hook
}

async function setBaseFee(baseFeePerGas: bigint): Promise<void> {
  const node = testClient(devnet())
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas })
  await node.mine({ blocks: 1 })
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas })
}
