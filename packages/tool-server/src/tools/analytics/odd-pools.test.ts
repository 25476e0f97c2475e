import { getSqrtPriceAtTick, MAX_TICK, MIN_TICK, priceFromTick } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { createColumns } from '../../adapters/history/columns.ts'
import { runWork } from '../../adapters/workers/run-work.ts'
import type { WorkMessage, WorkTask } from '../../adapters/workers/work-messages.ts'
import { checkOutput } from '../../dispatch/check-output.ts'
import { parseInput } from '../../dispatch/parse-input.ts'
import type { Pool, PoolBars, Ports, Token, WorkKind } from '../../ports.ts'
import type { Tool, WriteContext } from '../../tool.ts'
import { answerOf } from '../chain-world.fixture.ts'
import { untouchedWorld } from '../refusals.fixture.ts'
import { backtestLpStrategy } from './backtest-lp-strategy.ts'
import { optimizeLpRange } from './optimize-lp-range.ts'

const hours = 24 * 20

type Market = {
  readonly decimals: readonly [number, number]
  readonly tick: number
  /** How far each hour moves, in ticks, up and down in turn. */
  readonly step?: number
  readonly liquidity?: bigint
  readonly withoutGasPrice?: boolean
}

/** Twenty days of hours of one pool around a tick; every hour as much came in of each token as its liquidity over a hundred. */
function world({ decimals, tick, step = 0, liquidity = 10n ** 18n, withoutGasPrice = false }: Market): WriteContext {
  const bare = untouchedWorld()
  const nowSeconds = Math.floor(bare.now() / 1_000)
  const start = nowSeconds - hours * 3_600
  const token = (symbol: string, place: number): Token => ({
    symbol,
    name: symbol,
    isNative: false,
    listed: true,
    usdPegged: false,
    address: `0x${String(place + 1).repeat(40)}`,
    decimals: decimals[place]!,
  })
  const tokens = [token('AAA', 0), token('BBB', 1)] as const
  const pool: Pool = {
    version: 'v3',
    id: `0x${'3'.repeat(40)}`,
    token0: tokens[0],
    token1: tokens[1],
    fee: 3_000,
    tickSpacing: 60,
    hooks: null,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFee: 0,
    blockNumber: 1n,
    sqrtPriceX96: getSqrtPriceAtTick(tick),
    tick,
    liquidity,
  }
  const bars = { ...createColumns({ start, count: hours, barSeconds: 3_600 }), feeGrowth: null }
  const root = 1.0001 ** (tick / 2)
  const inside = (at: number) => Math.min(MAX_TICK, Math.max(MIN_TICK, at))
  for (const bar of bars.startsAt.keys()) {
    const close = inside(tick + (bar % 2 === 0 ? step : 0))
    const open = inside(tick + (bar % 2 === 0 ? 0 : step))
    ;[bars.openTick[bar], bars.closeTick[bar]] = [open, close]
    ;[bars.lowTick[bar], bars.highTick[bar]] = [Math.min(open, close), Math.max(open, close)]
    bars.liquidity[bar] = Number(liquidity)
    bars.amount0In[bar] = Number(liquidity) / root / 100
    bars.amount1In[bar] = (Number(liquidity) * root) / 100
  }
  const feesUsd = new Float64Array(hours).fill(1)
  const completeness = { barsExpected: hours, barsFound: hours, hasAllTrades: true, gaps: 0, gapsAt: [], note: null }
  const history: PoolBars = {
    bars,
    source: 'rpc',
    completeness,
    isEstimate: false,
    figures: {
      volumeUsd: feesUsd.map(() => 333),
      feesUsd,
      tvlUsd: null,
      trades: null,
    },
  }
  const price = priceFromTick(tick, decimals[0], decimals[1])
  const usd = (of: Token) => ({ usd: of === tokens[1] ? 1 : of === tokens[0] ? price : 3_000 }) as never
  const ports: Partial<Ports> = {
    tokens: {
      ...bare.tokens,
      resolve: async (_chain, text) => tokens[text === 'AAA' ? 0 : 1],
      byAddress: async () => tokens[0],
    },
    liquidity: { ...({} as Ports['liquidity']), findPools: async () => [pool], ticks: async () => [] },
    rpc: {
      ...({} as Ports['rpc']),
      head: async () => ({ number: 1n, baseFeePerGas: 1_000_000n }) as never,
      client: () =>
        ({
          getFeeHistory: async () =>
            withoutGasPrice ? Promise.reject(new Error('no method')) : { reward: [[1n, 2n, 3n]] },
        }) as never,
    },
    prices: { usd: async (_chain, of) => usd(of), ratio: async () => null },
    history: { read: async () => history },
    workers: { run: here },
  }
  return { ...bare, ...ports }
}

/** What a thread would do, in this one. */
async function here(kind: WorkKind, input: unknown): Promise<never> {
  const said: WorkMessage[] = []
  await runWork({ kind, input, stop: new Int32Array(1) } as unknown as WorkTask, (message) => void said.push(message))
  const last = said.at(-1)
  if (last?.kind !== 'result') throw new Error(JSON.stringify(last))
  return last.output as never
}

async function ask(tool: Tool, market: Market, args: Readonly<Record<string, unknown>> = {}) {
  const pair = { token0: 'AAA', token1: 'BBB', chain: 'base', amount: '1000' }
  const context = world(market)
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
