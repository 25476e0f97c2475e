import { useDevnet } from '@svc/devnet/testing'
import { tradingTricks } from '@svc/devnet/trading-api'
import { expect, test } from 'vitest'
import {
  built,
  expectAlike,
  expectNoDearerTrade,
  expectEqualShares,
  expectNoWorseTrade,
  expectRefused,
  notesOf,
  openPosition,
  operations,
  type Pair,
  purchases,
  useTradingWorld,
} from './trading-routes.fixture.ts'

// What trading-routes.system.test.ts has whole, a part of which runs with every change.
const devnet = useDevnet()
const offersLess = 'The trading API offers less than the route found here, which was taken.'
const trading = useTradingWorld(devnet)

test.each<Pair>([
  ['v3', 'USDC', 'ETH', '9000', 3000],
  ['v4', 'ETH', 'USDC', '3', 500],
])('%s %s/%s: a position is opened by both routes to the wei alike', async (...pair) => {
  const world = await trading.open()
  const theirs = await openPosition(world, pair)
  const own = await trading.withoutIt(async () => (await openPosition(world, pair)).answer)
  expectAlike(own, theirs.answer, ['amount0Deposited', 'amount1Deposited', 'priceLower', 'priceUpper'])
})

test('shares of a v2 pair are bought and given back by both routes alike', async () => {
  await expectEqualShares(trading, ['USDC', 'ETH', '9000'])
})

test('a trade gives no less than was quoted here, and says through what', async () => {
  const answer = await expectNoWorseTrade(trading, ['USDC', 'ETH', '9000'])
  expect([notesOf(answer), answer.text('version'), answer.list('pools').length]).toEqual([[built], 'v3', 1])
  const own = await expectNoWorseTrade(trading, ['DAI', 'ETH', '3000'])
  expect([notesOf(own), own.list('pools').length]).toEqual([[offersLess], 2])
})

test.each(purchases)('an exact output, of %s for %s, takes no more than was quoted here', async (...trade) => {
  const answer = await expectNoDearerTrade(trading, trade)
  expect([built, offersLess]).toContain(notesOf(answer)[0])
})

test('G6: an exact output of others is held to what was asked for, and a plan of it to what it showed', async () => {
  const operation = operations.find(({ name }) => name === 'execute_swap to an exact output')!
  expect(await expectRefused(trading, operation, { tricks: ['lower-least', 'foreign-recipient'] })).toBe(2)
  const world = await trading.open()
  const trade = await operation.prepare(trading, world)
  const planned = await world.call('execute_swap', { ...trade, dryRun: true })
  const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
  expect([notesOf(done), done.text('amountOut')]).toEqual([[built], '700'])
})

test('G6: a tenth of what a hostile or broken service may send, each refused before a signature', async () => {
  const sampled = operations.filter(({ name }) => sampledNames.has(name))
  let refused = 0
  for (const [index, operation] of sampled.entries()) {
    const tricks = tradingTricks.slice(index * 2).slice(0, 2)
    refused += await expectRefused(trading, operation, { tricks, isFollowed: false })
  }
  refused += await expectRefused(trading, sampled[0]!, { tricks: ['lower-least'], isFollowed: false })
  expect(refused).toBe(11)
})

/** Those that need no position that has earned, and one that does. */
const sampledNames: ReadonlySet<string> = new Set([
  'v3 add_liquidity',
  'v4 add_liquidity',
  'v2 remove_liquidity',
  'execute_swap',
  'v4 remove_liquidity',
  'claim_lp_rewards',
])
