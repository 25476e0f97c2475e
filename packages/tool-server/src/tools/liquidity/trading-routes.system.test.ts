import { useDevnet } from '@svc/devnet/testing'
import { tradingTricks } from '@svc/devnet/trading-api'
import { describe, expect, test } from 'vitest'
import {
  built,
  expectEqualLives,
  expectEqualShares,
  expectNoWorseTrade,
  expectRefused,
  notesOf,
  operations,
  pairs,
  sharesOf,
  trades,
  useTradingWorld,
} from './trading-routes.fixture.ts'

const devnet = useDevnet()
const offersLess = 'The trading API offers less than the route found here, which was taken.'
const trading = useTradingWorld(devnet)

describe('by both routes a position is opened, pays, grows, shrinks and ends to the wei alike', () => {
  test.each(pairs)('%s %s/%s', async (...pair) => {
    await expectEqualLives(trading, devnet(), pair)
  })
})

test.each(sharesOf)('by both routes shares of the v2 pair %s/%s are bought and given back alike', async (...pair) => {
  await expectEqualShares(trading, pair)
})

describe('in its newer dialect it builds the same', () => {
  test.each(pairs.filter((_, index) => index % 2 === 0))('%s %s/%s', async (...pair) => {
    await expectEqualLives(trading, devnet(), pair, 'lp')
  })

  test.each(['v3', 'v4'] as const)('a pool that is missing in %s', async (version) => {
    await expectCreated(version, 10_000, 'lp')
  })

  test('and what it has no words for is built here', async () => {
    const world = await trading.open({ dialect: 'lp' })
    const asked = trading.api().asked().length
    const answer = await world.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' })
    expect(notesOf(answer)).toEqual([
      'The trading API has no words for swaps in its newer dialect; the calls were built here instead.',
    ])
    expect(await world.refuse('claim_lp_rewards', { tokens: ['USDC'] })).toMatchObject({ code: 'TRADING_API_REFUSED' })
    expect(trading.api().asked().length).toBe(asked)
  })
})

describe('by both routes a trade', () => {
  test.each(trades)('of %s for %s gives no less than was quoted here', async (...trade) => {
    await expectNoWorseTrade(trading, trade)
  })

  test('goes through one pool or through several, by whoever finds more', async () => {
    const world = await trading.open()
    const seen = new Set<string>()
    for (const amount of ['400', '15000', '400', '15000', '400', '15000']) {
      const answer = await world.call('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', amount })
      const [note] = notesOf(answer)
      expect([built, offersLess]).toContain(note)
      seen.add(`${note === built ? 'theirs' : 'ours'}, ${answer.list('pools').length > 1 ? 'several' : 'one'}`)
      const gain = Number(answer.text('amountOut')) - Number(answer.text('quotedAmountOut'))
      expect(gain).toBeGreaterThanOrEqual(0)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['theirs, one', 'ours, several']))
  })
})

test.each(['v2', 'v3', 'v4'] as const)(
  'a pool that is missing in %s is created by the other route at the same price',
  async (version) => {
    await expectCreated(version, 3000, 'v1')
  },
)

test('G6: hostile or broken, no transaction of another service is signed that is not what was asked for', async () => {
  let refused = 0
  for (const operation of operations) refused += await expectRefused(trading, operation)
  // Three of the operations are claims, which promise no least.
  expect(refused).toBe(operations.length * tradingTricks.length - 3)
  expect(refused).toBe(137)
})

async function expectCreated(version: 'v2' | 'v3' | 'v4', fee: number, dialect: 'v1' | 'lp'): Promise<void> {
  const world = await trading.open({ dialect })
  const [token0, token1] = version === 'v4' ? ['USDT', 'DAI'] : ['DAI', 'USDT']
  const range = version === 'v2' ? {} : { fee, rangeStrategy: 'medium' }
  const args = { version, token0, token1, amount0: '1000', amount1: '1000', ...range }
  const answer = await world.call('add_liquidity', args)
  expect(notesOf(answer).join(' ')).toContain(built)
  expect(answer.number('currentPrice')).toBeCloseTo(1, 6)
}
