import { useDevnet } from '@svc/devnet/testing'
import type { Hash } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

/** A position, in the pool of WETH and USDC unless said otherwise. */
async function open(version: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const range = { fee: 500, rangeStrategy: 'medium', version, slippageBps: 300 }
  return world.call('add_liquidity', { token0: 'WETH', token1: 'USDC', amount0: '3', ...range, ...more })
}

/** Trades of others in both directions through the pools of some positions. */
async function earn(...opened: readonly Answer[]): Promise<void> {
  const pools = new Set(opened.map((one) => one.text('pool.poolAddress') as `0x${string}`))
  await devnet().trade(20, 3, [...pools])
}

describe('harvest_rewards', () => {
  test('collects each version in one transaction and swaps what came, wei for wei', async () => {
    const opened = [await open('v3'), await open('v3', { rangeStrategy: 'wide' }), await open('v4')]
    await earn(...opened)
    const before = await Promise.all(['USDC', 'WETH'].map((token) => world.balance(token)))
    const answer = await world.call('harvest_rewards', { targetToken: 'USDC' })
    console.log(JSON.stringify(answer, null, 1))
    expect(before).toHaveLength(2)
    const hashes = new Set((answer.at('feesCollected') as { txHash: Hash }[]).map(({ txHash }) => txHash))
    expect(hashes.size).toBe(2)
  })
})
