import {
  expectedIl,
  invertTicks,
  priceFromTick,
  stayInRangeProbability,
  terminalInRangeProbability,
  timeInRange,
} from '@svc/lp-math'
import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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

const pair = { token0: 'WETH', token1: 'USDC', amount: '1000' }
const optimize = (args: Readonly<Record<string, unknown>> = {}) => world.call('optimize_lp_range', { ...pair, ...args })
const withoutTime = ({ data }: Answer) => ({ ...(data as object), timestamp: null, blockAgeSeconds: null })

/** Bounds of a range as numbers. */
function boundsOf(range: Answer) {
  return { lower: Number(range.at('priceLower') ?? 0), upper: Number(range.at('priceUpper') ?? Infinity) }
}

describe('optimize_lp_range', () => {
  test.each(['WETH USDC', 'USDC WETH'])('tells of %s what the closed forms say', async (order) => {
    const [token0, token1] = order.split(' ')
    const answer = await optimize({ token0, token1 })
    const model = {
      price: answer.number('currentPrice'),
      sigma: answer.number('volatility.annualized'),
      drift: 0,
      years: 30 / 365,
    }
    expect(answer.at('pair')).toBe(`${token0}/${token1}`)
    expect(model.sigma).toBeGreaterThan(0.2)
    expect(model.sigma).toBeLessThan(1.5)
    const optimal = { lower: answer.number('optimalRange.priceLower'), upper: answer.number('optimalRange.priceUpper') }
    const projected = (name: string) => answer.number(`projections.${name}`)
    expect(projected('inRangeProbability')).toBeCloseTo(timeInRange(optimal, model), 4)
    expect(projected('inRangeProbability')).toBeGreaterThanOrEqual(0.8)
    expect(projected('inRangeProbability')).toBeLessThan(0.82)
    expect(projected('terminalInRangeProbability')).toBeCloseTo(terminalInRangeProbability(optimal, model), 4)
    expect(projected('stayInRangeProbability')).toBeCloseTo(stayInRangeProbability(optimal, model), 4)
    expect(projected('expectedIlPct')).toBeCloseTo(100 * expectedIl(optimal, model), 3)
    for (const range of answer.list('candidateRanges')) {
      expect(range.number('inRangeProbability')).toBeCloseTo(timeInRange(boundsOf(range), model), 4)
      expect(range.number('expectedIlPct')).toBeCloseTo(100 * expectedIl(boundsOf(range), model), 3)
    }
    const nets = answer.list('candidateRanges').map((range) => range.number('expectedNetApr'))
    const isBeaten = Math.max(...nets) > projected('expectedNetApr') + 0.01
    const notes = JSON.stringify(answer.at('notes'))
    expect(/is expected to earn more than the chosen range|the chosen one loses/.test(notes)).toBe(
      isBeaten || projected('expectedNetApr') < 0,
    )
    expect(answer.list('candidateRanges').at(-1)!.data).toMatchObject({
      label: 'full',
      priceLower: null,
      priceUpper: null,
      inRangeProbability: 1,
      outOfRangeRisk: 'NONE',
    })
  })

  test('adds up in dollars, and has the ticks of the pool', async () => {
    const week = await optimize({ horizonDays: 7 })
    const ofWeek = (name: string) => week.number(`projections.${name}`)
    expect(ofWeek('feeIncomeUsd') - ofWeek('ilCostUsd') - ofWeek('gasCostUsd')).toBeCloseTo(ofWeek('netPnlUsd'), 3)
    expect(week.at('notes')).toContainEqual(expect.stringContaining('netPnl30dUsd counts the gas of 4.29'))
    const [weth, usdc] = [await optimize(), await optimize({ token0: 'USDC', token1: 'WETH' })]
    for (const answer of [weth, usdc]) {
      const dollars = (name: string) => answer.number(`projections.${name}`)
      const gas30d = dollars('gasCostUsd')
      expect(dollars('feeIncome30dUsd') - dollars('ilCost30dUsd') - gas30d).toBeCloseTo(dollars('netPnl30dUsd'), 2)
      expect((dollars('expectedFeeApr') * 10 * 30) / 365).toBeCloseTo(dollars('feeIncome30dUsd'), 2)
      expect(dollars('expectedFeeApr') - dollars('lvrApr') - dollars('gasApr')).toBeCloseTo(
        dollars('expectedNetApr'),
        3,
      )
    }
    // The order of the tokens does not decide the side of the price: no skew is told apart here.
    const of = (answer: Answer, bound: string) => answer.number(`optimalRange.${bound}`)
    expect(of(weth, 'priceLower') * of(usdc, 'priceUpper')).toBeCloseTo(1, 1)
    expect(of(weth, 'priceUpper') * of(usdc, 'priceLower')).toBeCloseTo(1, 1)
    const pool = devnet().pools.find(({ id }) => id === weth.text('pool'))!
    const isSorted = pool.token0 === world.address('WETH')
    for (const [answer, isOwnOrder] of [
      [weth, isSorted],
      [usdc, !isSorted],
    ] as const) {
      const of = (name: string) => answer.number(`optimalRange.${name}`)
      const own = { tickLower: of('tickLower'), tickUpper: of('tickUpper') }
      const ticks = isOwnOrder ? own : invertTicks(own)
      const [first, second] = answer === weth ? [18, 6] : [6, 18]
      expect(priceFromTick(ticks.tickLower, first, second) / of('priceLower')).toBeCloseTo(1, 4)
      expect(priceFromTick(ticks.tickUpper, first, second) / of('priceUpper')).toBeCloseTo(1, 4)
    }
  })

  test('says of a net yield how far it may be off by its fees and by the volatility', async () => {
    const answer = await optimize()
    const projected = (name: string) => answer.number(`projections.${name}`)
    const [calmer, wilder] = answer.list('sensitivity')
    const rise = (name: string) => wilder!.number(name) - calmer!.number(name)
    const ofSigma = (rise('expectedNetApr') / rise('annualized')) * answer.number('volatility.standardError')
    const ofFees = (projected('expectedFeeApr') * projected('feeUncertaintyPct')) / 100
    expect(answer.text('methodology')).toContain('feeUncertaintyPct: one standard error of the fees ahead')
    // Errors have three digits.
    expect(projected('expectedNetAprError') / Math.hypot(ofFees, ofSigma)).toBeCloseTo(1, 2)
    expect(Math.min(Math.abs(ofFees), Math.abs(ofSigma))).toBeGreaterThan(0.01)
    for (const range of answer.list('candidateRanges')) expect(range.number('expectedNetAprError')).toBeGreaterThan(0)
    const percentiles = answer.at('simulation.estimates.ilPctPercentileErrors')
    expect(percentiles).toEqual({ p5: expect.any(Number), p50: expect.any(Number), p95: expect.any(Number) })
    expect(answer.number('simulation.estimates.ilPctPercentileErrors.p5')).toBeGreaterThan(0)
  })

  test.each(['WETH USDC', 'USDC WETH'])(
    'of %s points to the tier that recommend_fee_tier finds clearly better',
    async (order) => {
      const [token0, token1] = order.split(' ')
      const compared = await world.call('recommend_fee_tier', { token0, token1 })
      const best = compared.number('recommendation.feeTier')
      const tierNotes = async (fee?: number) => {
        const notes = (await optimize({ token0, token1, fee, amount: '10000' })).at('notes') as string[]
        const ofTier = notes.filter((note) => note.includes('recommend_fee_tier compares them in full'))
        // It comes first where no tier was chosen yet.
        expect(notes[0] === ofTier[0]).toBe(fee === undefined)
        return ofTier
      }
      const [note] = await tierNotes()
      expect(note).toContain(`The ${best / 10_000} % pool of this pair pays clearly more`)
      expect(await tierNotes(100)).toEqual([note])
      expect(await tierNotes(best)).toEqual([])
    },
  )

  test('is the same for the same seed, and close for another', async () => {
    const first = await optimize({ seed: 42, fee: 3000 })
    expect(withoutTime(await optimize({ seed: 42, fee: 3000 }))).toEqual(withoutTime(first))
    const other = await optimize({ seed: 43, fee: 3000 })
    expect(other.at('projections')).toEqual(first.at('projections'))
    expect(other.at('simulation.estimates')).not.toEqual(first.at('simulation.estimates'))
  })

  test('a simulation agrees with the closed forms within its own errors, which fall with more paths', async () => {
    const error = (answer: Answer) => answer.number('simulation.estimates.inRangeProbability.standardError')
    const few = await optimize({ simulations: 1, seed: 5 })
    const many = await optimize({ simulations: 50_000, seed: 5 })
    expect(few.at('simulation.paths')).toBe(64)
    expect(many.number('simulation.paths')).toBeGreaterThanOrEqual(50_000)
    expect(error(many)).toBeLessThan(error(few) / 10)
    for (const quantity of ['inRangeProbability', 'terminalInRangeProbability', 'expectedIlPct']) {
      const of = (name: string) => many.number(`simulation.estimates.${quantity}.${name}`)
      expect(Math.abs(of('simulated') - of('analytic'))).toBeLessThan(6 * of('standardError') + 1e-3)
    }
  })

  test('takes the volatility that fee tiers are compared at, whichever the pool', async () => {
    const compared = await world.call('recommend_fee_tier', { token0: 'WETH', token1: 'USDC' })
    const [annualized, standardError] = ['annualized', 'standardError'].map((name) =>
      compared.number(`analysis.pairVolatility.${name}`),
    )
    const busiest = /hourly closes of the ([\d.]+ %) pool, the busiest/
    const [, fee = 'none'] = busiest.exec(compared.text('analysis.pairVolatility.note')) ?? []
    for (const tier of compared.list('analysis.volumeDistribution')) {
      const answer = await optimize({ fee: tier.number('feeTier') })
      expect(answer.at('volatility')).toMatchObject({ annualized, standardError, source: 'historical' })
      expect(answer.text('volatility.note')).toContain(`of the ${fee} pool, the busiest of the pair`)
    }
  })

  test('is wider the surer it shall be, and the longer the time', async () => {
    const width = async (args: Readonly<Record<string, unknown>>) =>
      (await optimize(args)).number('optimalRange.rangeWidthPct')
    const widths = [
      await width({ riskTolerance: 'aggressive' }),
      await width({}),
      await width({ riskTolerance: 'conservative' }),
    ]
    expect(widths).toEqual(widths.toSorted((a, b) => a - b))
    expect(widths[2]! / widths[0]!).toBeGreaterThan(1.5)
    expect(await width({ horizonDays: 0.05 })).toBeLessThan(widths[0]! / 5)
    expect(await width({ horizonDays: 365 })).toBeGreaterThan(widths[1]!)
  })

  test('takes a volatility that the fees imply, a large amount with its dilution, and v4', async () => {
    const implied = await optimize({ volatilitySource: 'implied' })
    expect(implied.data).toMatchObject({ volatility: { source: 'implied', lookback: '7d', note: /7 days/ } })
    expect(implied.number('volatility.annualized')).toBeGreaterThan(0.01)
    expect(JSON.stringify(implied.at('notes'))).toContain('a net yield from it tells little')
    const large = await optimize({ amount: '1000000000000' })
    expect(large.number('projections.expectedFeeApr')).toBeLessThan(large.number('projections.undilutedFeeApr') / 2)
    expect(large.at('notes')).toContainEqual(expect.stringContaining('large for this pool'))
    const native = await optimize({ token0: 'ETH', fee: 500 })
    expect(native.number('projections.expectedFeeApr')).toBeGreaterThan(0)
    expect(native.at('fee')).toBe(500)
  })

  test('names what is missing', async () => {
    expect(await world.refuse('optimize_lp_range', { ...pair, token1: 'WBTC', fee: 100 })).toMatchObject({
      code: 'NO_POOL',
      details: [{ field: 'fee', accepted: expect.arrayContaining(['500']) }],
    })
    const unknown = await world.refuse('optimize_lp_range', { ...pair, token1: 'NOSUCH' })
    expect(unknown).toMatchObject({ code: 'TOKEN_NOT_FOUND', details: [{ field: 'token1' }] })
    const twice = await world.refuse('optimize_lp_range', { ...pair, token1: 'ETH' })
    expect(twice).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'token1' }] })
  })

  test('gives the closed forms where the simulation takes too long, and ends for a caller that leaves', async () => {
    const asked = { ...pair, simulations: 50_000 }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    const refusal = await world
      .refuse('optimize_lp_range', asked, { onProgress: () => vi.advanceTimersByTime(60_000) })
      .finally(() => vi.useRealTimers())
    expect(refusal).toMatchObject({ code: 'SIMULATION_TIMEOUT', retryable: true })
    const [{ analytic }] = refusal.details as unknown as [{ analytic: object }]
    const { simulation: _, ...whole } = (await optimize()).data as { simulation: unknown }
    const timeless = { timestamp: null, blockAgeSeconds: null }
    expect({ ...analytic, ...timeless }).toEqual({ ...whole, ...timeless })
    expect(refusal.details).toMatchObject([{ field: 'simulations' }, { waitedMs: expect.any(Number), limitMs: 60_000 }])
    const caller = new AbortController()
    const heard: number[] = []
    const onProgress = (done: number) => {
      heard.push(done)
      caller.abort()
    }
    const left = await world.refuse('optimize_lp_range', asked, { signal: caller.signal, onProgress })
    expect([left.code, heard.length]).toEqual(['CANCELLED', 1])
  })

  test('says that not even closed forms came where no thread was free in time', async () => {
    const hurried = await openWorld(devnet(), { workers: { threads: 0, deadlineMs: 1 } })
    const refusal = await hurried.refuse('optimize_lp_range', pair)
    expect(refusal).toMatchObject({
      code: 'SIMULATION_TIMEOUT',
      suggestion: expect.stringContaining('call again later'),
    })
    expect(refusal.message).toBe('The choice of a range was not ready after 1 ms, 1 of them waiting for a thread.')
    expect(refusal.details).toEqual([
      { message: expect.stringContaining('not even the closed forms') },
      { message: 'Most of the time went into waiting.', waitedMs: 1, limitMs: 1 },
    ])
    await hurried.close()
  })

  test('computes in a thread, as its neighbours do: where none is to be had, all of them are busy', async () => {
    const full = await openWorld(devnet(), { workers: { threads: 0, maxWaiting: 0 } })
    const startTime = new Date(Date.now() - 20 * 86_400_000).toISOString()
    const refusals = [
      await full.refuse('optimize_lp_range', pair),
      await full.refuse('recommend_fee_tier', { token0: 'WETH', token1: 'USDC' }),
      await full.refuse('backtest_lp_strategy', { ...pair, startTime }),
    ]
    expect(refusals.map(({ code }) => code)).toEqual(['SERVER_BUSY', 'SERVER_BUSY', 'SERVER_BUSY'])
    await full.close()
  })

  test('needs seven days of prices, and says how many there are', async () => {
    world.clock.offsetMs = -24 * 86_400_000
    const refusal = await world.refuse('optimize_lp_range', pair).finally(() => (world.clock.offsetMs = 0))
    expect(refusal).toMatchObject({ code: 'INSUFFICIENT_HISTORY', details: [{ daysNeeded: 7 }] })
    const { daysFound } = refusal.details[0] as unknown as { daysFound: number }
    expect(daysFound).toBeGreaterThan(4)
    expect(daysFound).toBeLessThan(7)
  })
})
