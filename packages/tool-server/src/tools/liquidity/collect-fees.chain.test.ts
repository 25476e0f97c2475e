import { useDevnet } from '@svc/devnet/testing'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { poolTokens } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

describe('collect_fees', () => {
  test.each(['v3', 'v4'])('collects what a %s position earned, to the wei, and no liquidity', async (version) => {
    const opened = await world.call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      amount0: '3',
      fee: 500,
      rangeStrategy: 'narrow',
      version,
    })
    const [positionId, pool] = [opened.text('positionId'), opened.text('pool.poolAddress') as `0x${string}`]
    await devnet().trade(20, 3, [pool])
    const waiting = await world.call('get_position', { positionId, version })
    const tokens = poolTokens(opened)
    const before = await Promise.all(tokens.map((token) => world.balance(token)))
    const answer = await world.call('collect_fees', { positionId, version })
    const after = await Promise.all(tokens.map((token) => world.balance(token)))
    for (const index of [0, 1] as const) {
      const digits = tokens[index]!.toLowerCase() === world.address('USDC').toLowerCase() ? 6 : 18
      const got = formatUnits(after[index]! - before[index]!, digits)
      expect(answer.text(`feesCollected.amount${index}`)).toBe(got)
      expect(waiting.text(`feesOwed${index}`)).toBe(got)
      expect(answer.text(`feesCollected.amount${index}Symbol`)).toBe(digits === 6 ? 'USDC' : 'WETH')
    }
    expect(answer.number('feesCollected.totalUsd')).toBeGreaterThan(0)
    const left = await world.call('get_position', { positionId, version })
    expect([left.text('feesOwed0'), left.text('feesOwed1')]).toEqual(['0', '0'])
    expect(left.text('liquidityRaw')).toBe(waiting.text('liquidityRaw'))
  })

  test.each(['v3', 'v4'])('has nothing to collect from a fresh %s position', async (version) => {
    const opened = await world.call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      amount0: '1',
      fee: 500,
      rangeStrategy: 'narrow',
      version,
    })
    const refusal = await world.refuse('collect_fees', { positionId: opened.text('positionId'), version })
    expect(refusal.code).toBe('NOTHING_TO_COLLECT')
    const positionId = opened.text('positionId')
    await world.call('remove_liquidity', { positionId, version })
    for (const tool of ['collect_fees', 'compound_fees']) {
      expect(await world.refuse(tool, { positionId, version })).toMatchObject({
        code: 'NOTHING_TO_COLLECT',
        message: expect.stringContaining('is closed'),
        suggestion: expect.stringContaining('get_positions_by_owner'),
      })
    }
  })

  test('says with both figures where gas is more than the fees, in the plan and afterwards', async () => {
    const range = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'medium' }
    const opened = await world.call('add_liquidity', { ...range, amount0: '0.003' })
    await devnet().trade(20, 3, [opened.text('pool.poolAddress') as `0x${string}`])
    const [positionId, note] = [
      opened.text('positionId'),
      /^Gas of [0-9.]+ USD is more than what the call brings, .* USD\.$/,
    ]
    for (const tool of ['compound_fees', 'collect_fees']) {
      const planned = await world.call(tool, { positionId, dryRun: true })
      expect(planned.at('plan.warnings')).toContainEqual(expect.stringMatching(note))
    }
    const answer = await world.call('collect_fees', { positionId })
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(note))
  })
})
