import type { BacktestOptions, Bars } from '@svc/lp-math'
import { afterAll, expect, test } from 'vitest'
import { createWorkerPool } from '../../workers/create-worker-pool.ts'
import { runBacktest } from '../../tools/analytics/backtest-lp-strategy.ts'

const column = (value: number) => new Float64Array(400).fill(value)
const quiet: Bars = {
  barSeconds: 3_600,
  startsAt: column(3_600).map((seconds, bar) => bar * seconds),
  openTick: column(0),
  lowTick: column(0),
  highTick: column(0),
  closeTick: column(0),
  amount0In: column(0),
  amount1In: column(0),
  liquidity: column(0),
  feeGrowth: null,
}
const options: BacktestOptions = {
  startValueUsd: 100,
  feePips: 500,
  tickSpacing: 10,
  decimals0: 0,
  decimals1: 24,
  baseToken: 0,
  quoteUsd: 1,
  gasUsd: { open: 0, close: 0, rebalance: 0 },
}
const strategies = ['a', 'b', 'c'].map((name) => ({ name, rangePct: 10, rebalanceThresholdPct: 80 }))
const workers = createWorkerPool({ threads: 1, deadlineMs: 60_000 })
afterAll(() => workers.close())
const { signal } = new AbortController()
const run = (bars: Bars = quiet, change: Partial<BacktestOptions> = {}) =>
  runBacktest(workers, { bars, strategies, options: { ...options, ...change } }, { signal })

test('tells of each strategy, and ends where it began without a trade', async () => {
  const heard: number[][] = []
  const onProgress = (done: number, of: number) => void heard.push([done, of])
  const { strategies: results } = await runBacktest(
    workers,
    { bars: quiet, strategies, options },
    { signal, onProgress },
  )
  expect([results.map(({ name }) => name), heard]).toEqual([
    ['a', 'b', 'c'],
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  ])
  expect(results[0]).toMatchObject({ feesEarnedUsd: 0, netReturnPct: 0, sharpeRatio: null, inRangePct: 100 })
})

test('stops when the caller has left', async () => {
  const left = runBacktest(workers, { bars: quiet, strategies, options }, { signal: AbortSignal.abort() })
  await expect(left).rejects.toMatchObject({ code: 'CANCELLED' })
})

test.each<[string, Partial<Bars>, Partial<BacktestOptions>]>([
  ['a price beyond the edge ticks', { highTick: column(1e6) }, {}],
  ['a negative amount', { amount1In: column(-1) }, {}],
  ['no number', { liquidity: column(Number.NaN) }, {}],
  ['a dollar price of nothing', {}, { quoteUsd: column(0) }],
])('refuses %s as no past of a pool', async (_, bars, change) => {
  await expect(run({ ...quiet, ...bars }, change)).rejects.toMatchObject({
    code: 'INSUFFICIENT_HISTORY',
    details: [{ field: 'pool' }],
  })
})

test.each([-887_270, 887_270])('replays a pool that stands at tick %d', async (tick) => {
  const [openTick, lowTick, highTick, closeTick] = [column(tick), column(tick), column(tick), column(tick)]
  const { strategies: results } = await run({ ...quiet, openTick, lowTick, highTick, closeTick })
  expect(results.every(({ endValueUsd }) => Math.abs(endValueUsd - 100) < 1e-6)).toBe(true)
})
