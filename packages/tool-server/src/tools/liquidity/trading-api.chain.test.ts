import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, test } from 'vitest'
import { built, expectEqualLives, notesOf, openPosition, type Pair, useTradingWorld } from './trading-routes.fixture.ts'

// All pairs, trades and tricks: trading-routes.system.test.ts; some with every change: trading-samples.chain.test.ts.
const devnet = useDevnet()
const trading = useTradingWorld(devnet)
const ofUsdc: Pair = ['v3', 'WETH', 'USDC', '3', 500]

describe('by both routes', () => {
  test.each<Pair>([
    ['v3', 'USDC', 'ETH', '9000', 3000],
    ['v4', 'ETH', 'USDC', '3', 500],
  ])('%s %s/%s: a position is opened, pays, grows, shrinks and ends to the wei alike', async (...pair) => {
    await expectEqualLives(trading, devnet(), pair)
  })
})

describe('a plan of what it built', () => {
  test.each(['v3', 'v4'] as const)('collect_fees of %s is carried out as it was shown', async (version) => {
    const world = await trading.open()
    const { positionId, pool } = await openPosition(world, [version, 'WETH', 'USDC', '3', 500])
    await devnet().trade(20, 3, [pool])
    const plan = await world.call('collect_fees', { positionId, version, dryRun: true })
    const done = await world.call('execute_plan', { planId: plan.text('plan.planId') })
    expect([done.text('status'), notesOf(done)]).toEqual(['success', [built]])
  })

  test('remove_liquidity is carried out by its own limits, built by whoever can hold them', async () => {
    const world = await trading.open()
    const { positionId, pool } = await openPosition(world, ofUsdc)
    const plan = await world.call('remove_liquidity', { positionId, version: 'v3', percentage: 50, dryRun: true })
    await devnet().trade(6, 3, [pool])
    const done = await world.call('execute_plan', { planId: plan.text('plan.planId') })
    expect(done.text('status')).toBe('success')
  })

  test.each(['v3', 'v4'] as const)(
    'add_liquidity of %s is carried out by its own bounds, built here',
    async (version) => {
      const world = await trading.open()
      const deposit = { version, token0: 'ETH', token1: 'USDC', amount0: '3', fee: 500, rangeStrategy: 'narrow' }
      const plan = await world.call('add_liquidity', { ...deposit, dryRun: true })
      const done = await world.call('execute_plan', { planId: plan.text('plan.planId') })
      expect([done.text('status'), notesOf(done).includes(built)]).toEqual(['success', false])
    },
  )

  test('execute_swap is carried out by who planned it, though the other route has come to be the same', async () => {
    const world = await trading.open()
    const trade = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '2' }
    const theirs = await world.call('execute_swap', { ...trade, dryRun: true })
    expect(notesOf(await world.call('execute_plan', { planId: theirs.text('plan.planId') }))).toEqual([built])
    trading.api().setFaults([{ fault: { status: 500 } }])
    const own = await world.call('execute_swap', { ...trade, dryRun: true })
    trading.api().setFaults([])
    const asked = trading.api().asked().length
    expect(notesOf(await world.call('execute_plan', { planId: own.text('plan.planId') }))).not.toContain(built)
    expect(trading.api().asked().length).toBe(asked)
  })
})

test('what it does not offer is built here: without fees, without a least amount, by version, as part of a batch', async () => {
  const world = await trading.open()
  const { positionId } = await openPosition(world, ofUsdc)
  const before = trading.api().asked().length
  await world.call('remove_liquidity', { positionId, version: 'v3', percentage: 10, collectFees: false })
  await world.call('remove_liquidity', { positionId, version: 'v3', percentage: 10, slippageBps: 10_000 })
  await world.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', version: 'v3' })
  const params = { token0: 'WETH', token1: 'USDC', amount0: '1', fee: 500, rangeStrategy: 'narrow' }
  const operations = [1, 2].map(() => ({ type: 'add', params }))
  await world.call('batch_lp_operations', { operations })
  expect(trading.api().asked().length).toBe(before)
})

describe('a trading API in trouble is no obstacle: the calls are built here, and the notes say so', () => {
  test('it is down, or limits, or does not take the key', async () => {
    const world = await trading.open()
    const { positionId, pool } = await openPosition(world, ['v4', 'WETH', 'USDC', '3', 500])
    const notesAt = async (status: number, seed: number) => {
      await devnet().trade(6, seed, [pool])
      trading.api().setFaults([{ fault: { status } }])
      const before = trading.api().asked().length
      const answer = await world.call('collect_fees', { positionId, version: 'v4' })
      return [notesOf(answer), trading.api().asked().length - before]
    }
    const note = (status: number) => [
      `The trading API answered with status ${status}; the calls were built here instead.`,
    ]
    expect(await notesAt(429, 1)).toEqual([note(429), 3])
    expect(await notesAt(500, 2)).toEqual([note(500), 1])
    expect(await notesAt(504, 3)).toEqual([note(504), 3])
    const wrongKey =
      'The trading API does not take the key; the calls were built here instead. SVC_TRADING_API_KEY is to be corrected.'
    expect(await notesAt(401, 4)).toEqual([[wrongKey], 1])
    expect(await notesAt(503, 5)).toEqual([note(503), 3])
    const resting =
      'The trading API has failed repeatedly and is not asked for a while; the calls were built here instead.'
    expect(await notesAt(500, 6)).toEqual([[resting], 0])
  })

  test.each([{ fault: 'silent' }, { fault: { slowMs: 600_000 } }] as const)(
    'it never answers, or too late: %j',
    async (fault) => {
      const world = await trading.open({ timeoutMs: 50 })
      const { positionId, pool } = await openPosition(world, ofUsdc)
      await devnet().trade(20, 3, [pool])
      trading.api().setFaults([fault])
      const answer = await world.call('collect_fees', { positionId, version: 'v3' })
      expect(notesOf(answer)).toEqual([
        expect.stringMatching(/^The trading API did not answer \(\w+\); the calls were built here instead\.$/),
      ])
    },
  )
})
