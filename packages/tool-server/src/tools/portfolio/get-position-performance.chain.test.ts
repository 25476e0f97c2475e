import { useDevnet } from '@svc/devnet/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, poolTokens } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const base = { token0: 'WETH', token1: 'USDC', fee: 500 }

/** Lets days pass, with trades in one pool every few hours. */
async function tradeFor(days: number, pool: `0x${string}`, seed: string): Promise<void> {
  const start = Number((await world.client.getBlock()).timestamp)
  for (let round = 1; round <= days * 4; round++) {
    await devnet().mineTo(start + round * 21_600)
    await devnet().trade(2, `${seed}${round}`, [pool])
  }
  await devnet().mineTo(start + days * 86_400 + 60)
  world.clock.offsetMs = (start + days * 86_400 + 60) * 1000 - Date.now()
}

/** In the pool's order. */
const deposited = (opened: Answer): [number, number] => {
  const amounts: [number, number] = [Number(opened.text('amount0Deposited')), Number(opened.text('amount1Deposited'))]
  return poolTokens(opened)[0] === world.address('WETH') ? amounts : [amounts[1], amounts[0]]
}

describe('get_position_performance', () => {
  test.each(['v3', 'v4'])('tells of a %s position what its own transactions moved', async (version) => {
    const opened = await world.call('add_liquidity', { ...base, version, amount0: '1', rangeStrategy: 'medium' })
    const args = { positionId: opened.text('positionId'), version }
    const pool = opened.text('pool.poolAddress') as `0x${string}`
    await tradeFor(2, pool, 'first')
    const collected = await world.call('collect_fees', args)
    await tradeFor(2, pool, 'second')
    const removed = await world.call('remove_liquidity', { ...args, percentage: 50 })
    await tradeFor(1, pool, 'third')
    const position = await world.call('get_position', args)
    const answer = await world.call('get_position_performance', args)

    const near = (name: string, wanted: number) => expect(Number(answer.text(name)) / wanted).toBeCloseTo(1, 5)
    const [in0, in1] = deposited(opened)
    for (const symbol of ['token0Symbol', 'token1Symbol']) expect(answer.text(symbol)).toBe(position.text(symbol))
    near('deposits.amount0', in0)
    near('deposits.amount1', in1)
    near('withdrawals.amount0', Number(removed.text('amount0Received')))
    near('withdrawals.amount1', Number(removed.text('amount1Received')))
    const fees = (side: '0' | '1') =>
      Number(collected.text(`feesCollected.amount${side}`)) +
      Number(removed.text(`feesCollected.amount${side}`)) +
      Number(position.text(`feesOwed${side}`))
    near('fees.amount0', fees('0'))
    near('fees.amount1', fees('1'))

    expect(answer.data).toMatchObject({ historyComplete: true, inRange: position.at('inRange') })
    expect(answer.number('ageDays')).toBeCloseTo(5, 1)
    expect(answer.number('valueUsd')).toBeCloseTo(position.number('valueUsd'), 3)
    const share = answer.number('timeInRangePct')
    expect([share > 0, share <= 100]).toEqual([true, true])
    // At the pool's own price no mix of it is worth more than what was put in; dollars are those of half an hour, and half was taken out
    // at an earlier price.
    expect(answer.number('ilUsd') / answer.number('hodlUsd')).toBeLessThan(1e-4)
    const netPct = ((answer.number('ilUsd') + answer.number('feesUsd')) / answer.number('hodlUsd')) * 100
    expect(answer.number('vsHodlPct')).toBeCloseTo(netPct, 3)
    expect(answer.number('gasUsd')).toBeGreaterThan(0)
    expect(answer.number('apr')).toBeGreaterThan(0)
    expect(Math.abs(answer.number('netPnlUsd'))).toBeLessThan(answer.number('hodlUsd'))
    const [il, earned, market, gas] = ['ilUsd', 'feesUsd', 'marketUsd', 'gasUsd'].map((name) => answer.number(name))
    expect(answer.number('netPnlUsd')).toBeCloseTo(il! + earned! + market! - gas!, 2)
  })

  test('takes no profit from a trade of the wallet that moves the pool and not the price of named sources', async () => {
    const opened = await world.call('add_liquidity', { ...base, fee: 10_000, amount0: '1', rangeStrategy: 'wide' })
    const args = { positionId: opened.text('positionId') }
    const before = await world.call('get_position_performance', args)
    await devnet().trade(6, 'push', [opened.text('pool.poolAddress') as `0x${string}`])
    const after = await world.call('get_position_performance', args)
    expect(after.number('hodlUsd')).toBeCloseTo(before.number('hodlUsd'), 0)
    expect(Math.abs(after.number('marketUsd'))).toBeLessThan(0.05)
    expect(after.at('notes')).not.toContainEqual(expect.stringMatching("pool's own prices"))
  })

  test('of a position just opened is what was paid for it, less the gas', async () => {
    const opened = await world.call('add_liquidity', { ...base, amount0: '1', rangeStrategy: 'wide' })
    const answer = await world.call('get_position_performance', { positionId: opened.text('positionId') })
    expect(Math.abs(answer.number('ilUsd'))).toBeLessThan(0.01)
    expect([answer.number('feesUsd'), answer.number('timeInRangePct'), answer.at('inRange')]).toEqual([0, 100, true])
    const paid = opened.number('amount0DepositedUsd') + opened.number('amount1DepositedUsd')
    expect(answer.number('valueUsd') / paid).toBeCloseTo(1, 4)
    expect(answer.number('netPnlUsd') + answer.number('gasUsd')).toBeCloseTo(0, 3)
    expect(answer.at('apr')).toBeNull()
    expect(answer.at('notes')).toContainEqual('Open for less than a day: no apr.')
  })

  test('knows what does not exist', async () => {
    expect((await world.refuse('get_position_performance', { positionId: '987654321' })).code).toBe(
      'POSITION_NOT_FOUND',
    )
  })
})
