import { useDevnet } from '@svc/devnet/testing'
import { parseAbiItem } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet({ history: true })
let world: World

beforeAll(async () => {
  world = await openWorld(devnet(), { isClockHeld: true })
})
afterAll(async () => {
  await world.close()
})

const isoAgo = (days: number) => world.isoAgo(days * 86_400)
const wethUsdc = { token0: 'WETH', token1: 'USDC', fee: 500 }
const pair = { ...wethUsdc, amount: '10000' }
const backtest = (args: Readonly<Record<string, unknown>> = {}) =>
  world.call('backtest_lp_strategy', { ...pair, startTime: isoAgo(20), ...args })
const named = (answer: Answer, name: string) =>
  answer.list('strategies').find((strategy) => strategy.text('name') === name)!
const sum = (answer: Answer, names: string) => names.split(' ').reduce((total, name) => total + answer.number(name), 0)

/** Closes of the hours from the one before the period on: a position is opened at the close of a bar. */
async function closes(answer: Answer, pool: Readonly<Record<string, unknown>>): Promise<readonly number[]> {
  const start = new Date(Date.parse(answer.text('period.start')) - 3_600_000).toISOString()
  const history = await world.call('get_price_history', { ...pool, start, end: answer.text('period.end') })
  return history.at('close') as number[]
}

/**
 * What each swap of the period paid to a position over all prices, in whole tokens: its part of the fee on what came in. `usdc` is half
 * of its worth in smallest units, `price` that of ether then.
 */
async function feesOfSwaps(answer: Answer, usdc: number, price: number) {
  const pool = devnet().pools.find(({ version, label }) => version === 'v3' && label === 'WETH/USDC 0.05 %')!
  const swaps = await world.client.getLogs({ address: pool.id, event: swapEvent, fromBlock: 0n })
  const [start = 0, end = 0] = ['start', 'end'].map((name) => Date.parse(answer.text(`period.${name}`)) / 1_000)
  const own = usdc / Math.sqrt((price * 1e6) / 1e18)
  const isWeth0 = world.address('WETH').toLowerCase() < world.address('USDC').toLowerCase()
  const fees = { weth: 0, usdc: 0 }
  const blocks = await Promise.all(swaps.map(({ blockNumber }) => world.client.getBlock({ blockNumber })))
  for (const [index, { args }] of swaps.entries()) {
    const { timestamp } = blocks[index]!
    if (Number(timestamp) < start || Number(timestamp) >= end) continue
    const [amount0, amount1] = [Number(args.amount0), Number(args.amount1)]
    const [weth, usd] = isWeth0 ? [amount0, amount1] : [amount1, amount0]
    const part = (0.0005 * own) / (own + Number(args.liquidity))
    if (weth > 0) fees.weth += (weth / 1e18) * part
    else fees.usdc += (usd / 1e6) * part
  }
  return fees
}

const swapEvent = parseAbiItem(
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
)

describe('backtest_lp_strategy', () => {
  test('replays the four usual strategies over whole hours, and what each came to adds up', async () => {
    const answer = await backtest()
    expect(answer.data).toMatchObject({ pair: 'WETH/USDC', fee: 500, source: 'rpc', barsExpected: 481, barsFound: 481 })
    expect([answer.number('period.days'), Date.parse(answer.text('period.start')) % 3_600_000]).toEqual([20, 0])
    const strategies = answer.list('strategies')
    const names = ['narrow', 'medium', 'wide', 'full-range']
    expect(strategies.map((strategy) => strategy.text('name'))).toEqual(names)
    for (const strategy of strategies) {
      const gains = sum(strategy, 'feesEarnedUsd hodlMoveUsd')
      const costs = sum(strategy, 'ilCostUsd swapCostUsd gasCostUsd')
      expect(strategy.number('endValueUsd')).toBeCloseTo(10_000 + gains - costs, 2)
      expect(strategy.number('netReturnPct')).toBeCloseTo(strategy.number('endValueUsd') / 100 - 100, 3)
      expect(strategy.number('gasCostUsd')).toBeGreaterThan(strategy.number('rebalanceGasCostUsd'))
    }
    const byEnd = strategies.toSorted((a, b) => b.number('endValueUsd') - a.number('endValueUsd'))
    expect(answer.text('winner.strategy')).toBe(byEnd[0]!.text('name'))
    expect(answer.text('winner.reason')).not.toBe('')
    expect(answer.text('winner.caveat')).toContain(`The lead over ${byEnd[1]!.text('name')}`)
    // The other two tools mean an error of a forecast by it.
    expect(answer.at('notes')).toContainEqual(
      expect.stringMatching(/^feeUncertaintyPct: how far.*no error of a forecast/),
    )
    // Names that add_liquidity has for other widths, and what a figure takes off.
    expect(answer.at('notes')).toContainEqual(
      expect.stringMatching(/^medium \+\/-12\.5 %, wide \+\/-25 % here: .* is \+\/-15 %, \+\/-50 %\.$/),
    )
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^sharpeRatio: .* neither a riskless yield nor/))
    // The narrower the range, the more fees, and the less sure they are.
    const column = (name: string) => strategies.map((strategy) => strategy.number(name))
    expect(column('feesEarnedUsd')).toEqual(column('feesEarnedUsd').toSorted((a, b) => b - a))
    expect(column('feeUncertaintyPct')).toEqual(column('feeUncertaintyPct').toSorted((a, b) => b - a))
  })

  test('of the full range loses what 2 sqrt(r)/(1 + r) says, and earns its share of the fees of the pool', async () => {
    const answer = await backtest({ strategies: '[{"name":"all","rangePct":null,"rebalanceThresholdPct":null}]' })
    const all = named(answer, 'all')
    const prices = await closes(answer, wethUsdc)
    const [first, last] = [prices[0]!, prices.at(-1)!]
    expect([prices.length, answer.number('priceChange.startPrice') / first]).toEqual([481, expect.closeTo(1, 5)])
    const grew = last / first
    // Prices of a history have six digits.
    expect(answer.number('hodlBenchmark.endValueUsd')).toBeCloseTo((10_000 * (1 + grew)) / 2, 0)
    expect(answer.number('hodlBenchmark.startValueUsd')).toBeCloseTo(10_000, 0)
    const changePct = answer.number('priceChange.endPrice') / answer.number('priceChange.startPrice') - 1
    expect(answer.number('priceChange.changePct')).toBeCloseTo(changePct * 100, 2)
    const returnPct = answer.number('hodlBenchmark.endValueUsd') / answer.number('hodlBenchmark.startValueUsd') - 1
    expect(answer.number('hodlBenchmark.returnPct')).toBeCloseTo(returnPct * 100, 2)
    expect(all.number('ilCostUsd')).toBeCloseTo(
      ((10_000 * (1 + grew)) / 2) * (1 - (2 * Math.sqrt(grew)) / (1 + grew)),
      2,
    )
    expect([all.number('inRangePct'), all.number('rebalanceCount'), all.number('vs5050Pct')]).toEqual([
      100,
      0,
      expect.closeTo(all.number('vsHodlPct'), 3),
    ])
    const fees = await feesOfSwaps(answer, 5_000e6, first)
    // A swap that crosses ticks names the liquidity after it alone.
    expect(Math.abs(all.number('feesEarnedUsd') / (fees.usdc + fees.weth * last) - 1)).toBeLessThan(0.02)
  })

  test('is the same whichever token comes first', async () => {
    const strategies = '[{"name":"all","rangePct":null,"rebalanceThresholdPct":null}]'
    const [one, other] = [
      await backtest({ strategies }),
      await backtest({ strategies, token0: 'USDC', token1: 'WETH' }),
    ]
    expect(other.text('pair')).toBe('USDC/WETH')
    expect(one.number('priceChange.endPrice') * other.number('priceChange.endPrice')).toBeCloseTo(1, 4)
    for (const name of ['feesEarnedUsd', 'ilCostUsd', 'lvrUsd', 'endValueUsd', 'sharpeRatio', 'maxDrawdownPct']) {
      expect([name, named(one, 'all').number(name)]).toEqual([
        name,
        expect.closeTo(named(other, 'all').number(name), 3),
      ])
    }
    expect(one.at('hodlBenchmark')).toEqual(other.at('hodlBenchmark'))
    const ranged = '[{"name":"r","rangePct":1,"rebalanceThresholdPct":50}]'
    const turned = await backtest({ strategies: ranged, token0: 'USDC', token1: 'WETH' })
    const straight = await backtest({ strategies: ranged })
    expect(named(straight, 'r').number('rebalanceCount')).toBeGreaterThan(3)
    // A percent of a price and of its inverse are not the same bounds, so that some rebalances fall on other hours.
    const ratio = named(turned, 'r').number('feesEarnedUsd') / named(straight, 'r').number('feesEarnedUsd')
    expect(Math.abs(ratio - 1)).toBeLessThan(0.2)
  })

  test('counts a pair without a dollar token by the past of one', async () => {
    const wbtc = { token0: 'WBTC', token1: 'WETH', fee: 3000 }
    const answer = await backtest(wbtc)
    expect(answer.at('notes')).toContainEqual(expect.stringContaining('the past of token1 in dollars'))
    const [ratios, dollars] = [await closes(answer, wbtc), await closes(answer, wethUsdc)]
    const [ethGrew, btcGrew] = [dollars.at(-1)! / dollars[0]!, ratios.at(-1)! / ratios[0]!]
    const expected = (5_000 * ethGrew * (1 + btcGrew)) / 10_000
    expect(answer.number('hodlBenchmark.endValueUsd') / 10_000).toBeCloseTo(expected, 2)
  })

  test('takes the pool of most liquidity unless a fee is named, and knows what does not exist', async () => {
    const answer = await backtest({ fee: undefined })
    const pools = await world.call('get_pools_by_token_pair', { token0: 'WETH', token1: 'USDC' })
    const deepest = pools.list('items').find((item) => item.text('version') !== 'v2')!
    expect(answer.text('pool')).toBe(deepest.text('poolAddress'))
    const none = await world.refuse('backtest_lp_strategy', {
      ...pair,
      startTime: isoAgo(20),
      token0: 'WBTC',
      token1: 'WETH',
      fee: 100,
    })
    expect(none).toMatchObject({ code: 'NO_POOL', details: [{ field: 'fee', accepted: ['500', '3000'] }] })
    const nobody = await world.refuse('backtest_lp_strategy', { ...pair, startTime: isoAgo(20), token0: 'NOSUCH' })
    expect(nobody.code).toBe('TOKEN_NOT_FOUND')
  })

  test('begins where the past of the pool does, and refuses less than 14 days of it', async () => {
    const answer = await backtest({ startTime: isoAgo(60) })
    expect(answer.number('period.days')).toBeLessThan(33)
    expect(answer.number('period.days')).toBeGreaterThan(28)
    expect(answer.at('notes')).toContainEqual(
      expect.stringMatching(/^\d+ bars at the beginning are left out: the price is known from 2\S+Z on\./),
    )
    // In its first hour the pool held hardly any liquidity; what it usually holds bears the amount.
    expect(JSON.stringify(answer.at('notes'))).not.toContain('large for this pool')
    const early = { ...pair, startTime: isoAgo(60), endTime: isoAgo(20) }
    const refusal = await world.refuse('backtest_lp_strategy', early)
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_HISTORY', details: [{ daysNeeded: 14 }] })
    expect(refusal.details[0]!['daysFound']).toBeGreaterThan(8)
    expect(refusal.details[0]!['daysFound']).toBeLessThan(13)
  })
})
