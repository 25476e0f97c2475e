import { liquidityProfile, type RangeMarket } from '@svc/lp-math'
import { expect, test, vi } from 'vitest'
import { createTraffic } from '../traffic.ts'
import type { WorkRequest } from './compute.ts'
import { runWork, type WorkMessage } from './run-work.ts'

const model = { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 }
const bounds = [{ lower: 0.9, upper: 1.1 }]
const facts = { tick: 0, liquidity: 10n ** 18n, decimals0: 18, decimals1: 18, ticks: [], inverted: false }
const market: RangeMarket = {
  model,
  profile: liquidityProfile(facts),
  feesPerDay: 1,
  feePips: 3000,
  blockSeconds: 2,
  value: 1,
  gasCost: 0,
  tickSpacing: 60,
  decimals0: 18,
  decimals1: 18,
}

/** What is told of a task, and how often it looked up from its work. */
async function run(request: WorkRequest) {
  const reported: WorkMessage[] = []
  const yieldCore = vi.fn()
  await runWork(
    { ...request, stop: new Int32Array(new SharedArrayBuffer(4)), traffic: createTraffic().counts },
    (message) => reported.push(message),
    yieldCore,
  )
  return { reported, yields: yieldCore.mock.calls.length }
}

test('a simulation lets its core go after every half a millisecond of paths or less', async () => {
  const { reported, yields } = await run({
    kind: 'simulate',
    input: { model, bounds, paths: 50_000, steps: 32, seed: 1 },
  })
  expect(yields).toBeGreaterThanOrEqual((50_000 * 32) / 16_384)
  expect(reported.filter(({ kind }) => kind === 'progress').length).toBeLessThanOrEqual(21)
  expect(reported.at(-1)).toMatchObject({ kind: 'result' })
})

test('the choice of a range lets its core go before every range it looks at', async () => {
  const doubts = { pace: { perDay: 1, ofLast7Days: 1, standardError: 0.1 }, sigmaError: 0.1 }
  const { reported, yields } = await run({ kind: 'chooseRange', input: { market, targetTimeInRange: 0.8, doubts } })
  expect(reported).toEqual([{ kind: 'result', output: expect.objectContaining({ optimal: expect.anything() }) }])
  expect(yields).toBeGreaterThan(50)
})
