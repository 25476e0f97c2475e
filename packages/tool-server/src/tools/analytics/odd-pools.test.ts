import { MAX_TICK, MIN_TICK, priceFromTick } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { checkOutput, parseInput } from '../../dispatch/parse-input.ts'
import type { Tool } from '../../tool.ts'
import { answerOf } from '../answer.fixture.ts'
import { backtestLpStrategy } from './backtest-lp-strategy.ts'
import { optimizeLpRange } from './optimize-lp-range.ts'
import { type Market, poolWorld } from './pool-world.fixture.ts'

async function ask(tool: Tool, market: Market, args: Readonly<Record<string, unknown>> = {}) {
  const pair = { token0: 'AAA', token1: 'BBB', chain: 'base', amount: '1000' }
  const context = poolWorld(market)
  const checked = checkOutput(tool, await tool.handle(parseInput(tool, { ...pair, ...args }), context))
  if (!checked.ok) throw new Error(checked.problem)
  return answerOf(checked.data)
}

const startTime = new Date(Date.UTC(2026, 10, 21) - 18 * 86_400_000).toISOString()
const optimize = (market: Market, args = {}) => ask(optimizeLpRange, market, { simulations: 256, ...args })
const backtest = (market: Market, args = {}) => ask(backtestLpStrategy, market, { startTime, ...args })

/** Names of members that are no finite number, at any depth. */
function unsound(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => unsound(one, `${path}.${name}`))
}

describe.each<readonly [number, number]>([
  [0, 0],
  [24, 0],
  [0, 24],
  [24, 24],
  [18, 6],
])('tokens of %i and %i decimals', (...decimals) => {
  test.each([0, 200_000, -200_000])(
    'at tick %i are in range as long as any others, and all figures are finite',
    async (tick) => {
      const market = { decimals, tick, step: 30 }
      const plain = { decimals: [18, 18], tick: 0, step: 30 } as const
      const [odd, usual] = [await backtest(market), await backtest(plain)]
      expect(unsound(odd.data)).toEqual([])
      expect(odd.list('strategies').map((one) => one.number('inRangePct'))).toEqual(
        usual.list('strategies').map((one) => one.number('inRangePct')),
      )
      const range = await optimize(market)
      expect(unsound(range.data)).toEqual([])
      expect(range.number('currentPrice') / priceFromTick(tick, ...decimals)).toBeCloseTo(1, 9)
      expect(range.number('projections.inRangeProbability')).toBeGreaterThan(0.79)
    },
  )
})

test('a node that tells no price of gas takes gas out of an answer and not the answer away', async () => {
  const market: Market = { decimals: [18, 6], tick: 0, step: 30, withoutGasPrice: true }
  const [range, replayed] = [await optimize(market), await backtest(market)]
  expect(range.at('projections.gasCostUsd')).toBeNull()
  expect(replayed.list('strategies').map((one) => one.at('gasCostUsd'))).toEqual([null, null, null, null])
  for (const answer of [range, replayed]) {
    expect(answer.at('notes')).toContain('The price of gas is unknown and left out.')
  }
})

test('a replay names the width and the threshold of each strategy, and says where ticks made a range wider', async () => {
  const strategies = '[{"name":"tight","rangePct":0.1,"rebalanceThresholdPct":50}]'
  const [own, usual] = [
    await backtest({ decimals: [18, 6], tick: 0, step: 30 }, { strategies }),
    await backtest({ decimals: [18, 6], tick: 0, step: 30 }),
  ]
  expect(own.list('strategies').map(({ data }) => data)).toMatchObject([{ rangePct: 0.1, rebalanceThresholdPct: 50 }])
  expect(own.at('notes')).toContainEqual(expect.stringMatching(/ticks 60 apart: "tight" is 0\.\d+ % wide, not 0\.1\.$/))
  expect(usual.list('strategies').map((one) => [one.at('rangePct'), one.at('rebalanceThresholdPct')])).toEqual([
    [10, 80],
    [25, 90],
    [50, 95],
    [null, null],
  ])
  expect(JSON.stringify(usual.at('notes'))).not.toContain('apart')
})

test('a range says where more ticks are initialised around the price than are read', async () => {
  const market: Market = { decimals: [18, 6], tick: 0, step: 30 }
  const ticksOf = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const liquidityNet = index % 2 === 0 ? 1n : -1n
      return { tick: index - count / 2, liquidityGross: 1n, liquidityNet }
    })
  const [all, cut] = [
    await optimize({ ...market, ticks: ticksOf(10) }),
    await optimize({ ...market, ticks: ticksOf(5_000) }),
  ]
  expect(cut.at('notes')).toContainEqual(expect.stringMatching(/^At least 5000 ticks are initialised around the price/))
  expect(JSON.stringify(all.at('notes'))).not.toContain('ticks are initialised')
})

describe('a price at the edge', () => {
  test.each([MIN_TICK, MIN_TICK + 1, MAX_TICK - 1])('at tick %i has ranges that end there', async (tick) => {
    const market: Market = { decimals: [18, 18], tick, step: 3 }
    const range = await optimize(market)
    expect(unsound(range.data)).toEqual([])
    expect(range.number('optimalRange.tickLower')).toBeGreaterThanOrEqual(MIN_TICK)
    expect(range.number('optimalRange.tickUpper')).toBeLessThanOrEqual(MAX_TICK)
    expect(unsound((await backtest(market)).data)).toEqual([])
  })
})

describe('volatility', () => {
  test('of a price that never moves is 0, and no range loses', async () => {
    const range = await optimize({ decimals: [18, 6], tick: 0 })
    expect(unsound(range.data)).toEqual([])
    expect([range.number('volatility.annualized'), range.number('projections.expectedIlPct')]).toEqual([0, 0])
    expect(range.number('projections.inRangeProbability')).toBe(1)
    expect(range.number('simulation.maxStandardErrorsOff')).toBe(0)
    const strategies = (await backtest({ decimals: [18, 6], tick: 0 })).list('strategies')
    expect(strategies.map((one) => [one.number('ilCostUsd'), one.number('rebalanceCount')])).toEqual(
      Array.from({ length: 4 }, () => [0, 0]),
    )
  })

  test('of 500 % a year and more leaves finite answers', async () => {
    // 534 ticks an hour up or down: 5 times the root of 1/8760.
    const range = await optimize({ decimals: [18, 6], tick: 0, step: 534 })
    expect(range.number('volatility.annualized')).toBeCloseTo(5, 1)
    expect(unsound(range.data)).toEqual([])
    const wild = await optimize({ decimals: [18, 6], tick: 0, step: 20_000 }, { horizonDays: 365 })
    expect([wild.number('volatility.annualized'), unsound(wild.data)]).toEqual([10, []])
    expect(unsound((await backtest({ decimals: [18, 6], tick: 0, step: 20_000 })).data)).toEqual([])
  })
})

describe('an amount', () => {
  test('beyond the whole pool earns what is left of its fees, and the answer says so', async () => {
    const range = await optimize({ decimals: [18, 18], tick: 0, step: 30 }, { amount: '1000000000000' })
    expect(unsound(range.data)).toEqual([])
    expect(range.at('notes')).toContainEqual(expect.stringContaining('large for this pool'))
    expect(range.number('projections.feeIncome30dUsd')).toBeLessThanOrEqual(30 * 24)
  })

  test('in a pool without liquidity earns nothing, and nothing breaks', async () => {
    const range = await optimize({ decimals: [18, 18], tick: 0, step: 30, liquidity: 0n })
    expect([unsound(range.data), range.number('projections.expectedFeeApr')]).toEqual([[], 0])
    expect(unsound((await backtest({ decimals: [18, 18], tick: 0, step: 30, liquidity: 0n })).data)).toEqual([])
  })
})
