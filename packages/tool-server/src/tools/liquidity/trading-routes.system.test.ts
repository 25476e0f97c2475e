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

  test('goes through one pool or through several, whichever gives more', async () => {
    const world = await trading.open()
    const versions = new Set<unknown>()
    const gains: number[] = []
    for (let turn = 0; turn < 6; turn += 1) {
      const answer = await world.call('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '15000' })
      expect(notesOf(answer)).toContain(built)
      for (const pool of answer.list('pools')) versions.add(`${answer.text('version')} ${String(pool.data).length}`)
      gains.push(Number(answer.text('amountOut')) - Number(answer.text('quotedAmountOut')))
      if (answer.list('pools').length > 1) versions.add('several')
    }
    expect([...versions]).toEqual(expect.arrayContaining(['v3 42', 'v4 66', 'several']))
    expect(Math.max(...gains)).toBeGreaterThan(0)
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
  expect(refused).toBe(127)
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
