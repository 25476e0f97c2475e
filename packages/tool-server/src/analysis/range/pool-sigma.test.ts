import type { Pool, PoolBars } from '@svc/amm'
import { describe, expect, test } from 'vitest'
import { poolSigma as sigmaOfPair, type PoolSigmaOptions } from './pool-sigma.ts'

const hour = 3_600
const column = (hours: number, of: (index: number) => number) => Float64Array.from({ length: hours }, (_, i) => of(i))

/** Hours that go up and down by `step` ticks, with 24 dollars of fees and 2,400 of volume a day. */
function past(hours: number, { step = 50, gaps = 0, fees = 1 }: { step?: number; gaps?: number; fees?: number } = {}) {
  const closeTick = column(hours, (index) => 200_000 + (index % 2) * step)
  const none = column(hours, () => 0)
  const gapsAt = Array.from({ length: gaps }, (_, back) => (hours - 1 - back) * hour)
  const history: PoolBars = {
    bars: {
      barSeconds: hour,
      startsAt: column(hours, (index) => index * hour),
      openTick: closeTick,
      lowTick: closeTick,
      highTick: closeTick,
      closeTick,
      amount0In: column(hours, () => 1),
      amount1In: none,
      liquidity: none,
      feeGrowth: null,
    },
    figures: {
      volumeUsd: column(hours, () => 100),
      feesUsd: column(hours, () => fees),
      tvlUsd: null,
      trades: null,
    },
    source: 'rpc',
    completeness: { barsExpected: 720, barsFound: hours, hasAllTrades: true, gaps, gapsAt, note: null },
    isEstimate: false,
  }
  return history
}

/** Of a pool that is the only one of its pair, unless another is the busiest. */
function poolSigma(history: PoolBars, of: Pool, options: Omit<PoolSigmaOptions, 'busiest'>) {
  return sigmaOfPair(history, of, { busiest: { pool: of, history }, ...options })
}

const token = { decimals: 18 }
const pool = { version: 'v3', fee: 3_000, protocolFee: 0, liquidity: 10n ** 22n, token0: token, token1: token } as Pool
const historical = { source: 'historical', price: 1, token1Usd: 1, feesError: 0.2, horizonDays: 30 } as const
const implied = { source: 'implied', price: 4, token1Usd: 3, feesError: 0.2, horizonDays: 30 } as const

describe('the volatility of a pool', () => {
  test('is that of its hours, whatever their number and the level of the price', () => {
    const { sigma, standardError, lookbackDays } = poolSigma(past(720), pool, historical)
    expect(sigma).toBeCloseTo(50 * Math.log(1.0001) * Math.sqrt(8_760), 10)
    expect(lookbackDays).toBe(30)
    // 1/sqrt(2n) for the n equal weights that 719 of 0.94 a day count for.
    const [decay, all] = [0.94 ** (1 / 24), 0.94 ** (719 / 24)]
    const count = (((1 + decay) / (1 - decay)) * (1 - all)) / (1 + all)
    expect(standardError / sigma).toBeCloseTo((1 + 1 / count ** 2) / Math.sqrt(2 * count), 12)
    expect(poolSigma(past(200, { step: 100_000 }), pool, historical).sigma).toBe(10)
  })

  test('is that of the busiest pool of its pair, as a price that hardly anybody trades at stands still', () => {
    const busy = { pool: { ...pool, fee: 500 }, history: past(720) }
    const quiet = past(480, { step: 2 })
    const { sigma, standardError, lookbackDays, ofPool } = sigmaOfPair(quiet, pool, { ...historical, busiest: busy })
    const own = poolSigma(busy.history, busy.pool, historical)
    expect([sigma, standardError, lookbackDays, ofPool]).toEqual([own.sigma, own.standardError, 30, busy.pool])
    expect(sigma).toBeGreaterThan(20 * poolSigma(quiet, pool, historical).sigma)
    // Its own fees imply what they do, and its own days must be known.
    expect(sigmaOfPair(quiet, pool, { ...implied, busiest: busy })).toEqual(poolSigma(quiet, pool, implied))
    expect(() => sigmaOfPair(past(100), pool, { ...historical, busiest: busy })).toThrow(/4.16 days/)
  })

  test('needs seven days that are known: gaps and ticks that no pool can have are none', () => {
    const refusal = (daysFound: number) =>
      expect.objectContaining({
        code: 'INSUFFICIENT_HISTORY',
        details: [expect.objectContaining({ daysFound, daysNeeded: 7 })],
      })
    expect(poolSigma(past(168), pool, historical).lookbackDays).toBe(7)
    expect(() => poolSigma(past(167), pool, historical)).toThrow(refusal(6.95))
    expect(() => poolSigma(past(200, { gaps: 80 }), pool, historical)).toThrow(refusal(5))
    expect(() => poolSigma(past(0), pool, implied)).toThrow(refusal(0))
    const absurd = past(180)
    absurd.bars.closeTick.fill(Number.NaN, 0, 12).fill(1e9, 12, 24)
    expect(() => poolSigma(absurd, pool, historical)).toThrow(refusal(6.5))
  })

  test('is known from the first trade on: a price that nobody traded at is no calm', () => {
    const found = (error: unknown) => (error as { details: { daysFound: number }[] }).details[0]!.daysFound
    const daysOf = (history: PoolBars, options: Parameters<typeof poolSigma>[2]) => {
      try {
        return poolSigma(history, pool, options).lookbackDays
      } catch (error) {
        return `only ${found(error)}`
      }
    }
    const quiet = past(720, { step: 0 })
    quiet.bars.amount0In.fill(0)
    expect([historical, implied].map((options) => daysOf(quiet, options))).toEqual(['only 0', 'only 0'])
    quiet.bars.amount1In[720 - 167] = 1
    expect(daysOf(quiet, historical)).toBe('only 6.95')
    quiet.bars.amount1In[720 - 168] = 1
    expect(daysOf(quiet, historical)).toBe(7)
  })

  test('of a pool that was hardly traded claims no certainty, and none of one that was traded once', () => {
    const idle = (...tradedAt: number[]) => {
      const history = past(720, { step: 0 })
      history.bars.amount0In.fill(0)
      for (const bar of tradedAt) history.bars.amount0In[bar] = 1
      return history
    }
    const errorOf = (...tradedAt: number[]) => {
      const { sigma, standardError } = poolSigma(idle(...tradedAt), pool, historical)
      expect(sigma).toBe(0)
      return standardError
    }
    expect(() => poolSigma(idle(0), pool, historical)).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_HISTORY',
        details: [expect.objectContaining({ field: 'pool', tradedFound: 1, tradedNeeded: 2 })],
      }),
    )
    // Within a fee of 0.3 % each way an hour may have moved by 16 % a year unseen.
    const hidden = (0.003 / Math.sqrt(3)) * Math.sqrt(8_760)
    expect(errorOf(0, 1)).toBeCloseTo(hidden * Math.SQRT2, 12)
    expect(errorOf(0, 300, 700)).toBeLessThan(errorOf(0, 1))
    const busy = poolSigma(past(720, { step: 0 }), pool, historical)
    expect(busy.standardError).toBeGreaterThan(0.004)
    expect(busy.standardError).toBeLessThan(errorOf(0, 300, 700) / 10)
    const free = poolSigma(idle(0, 1), { ...pool, fee: 0 }, historical).standardError
    expect(free).toBeCloseTo((hidden * Math.SQRT2) / 30, 12)
  })

  test('leaves out gaps: a price that stands still for want of data is no calm, and a move over them is that of its time', () => {
    const sigmaOf = (history: PoolBars) => poolSigma(history, pool, historical).sigma
    const cut = past(720, { gaps: 520 })
    cut.bars.closeTick.fill(200_000, 200)
    expect(sigmaOf(cut)).toBeCloseTo(sigmaOf(past(200)), 10)
    const holed = past(720)
    const gapsAt = Array.from({ length: 63 }, (_, index) => (300 + index) * hour)
    holed.bars.closeTick.fill(holed.bars.closeTick[299]!, 300, 363)
    // Sixty-four hours after the last known one: eight times the move of an hour.
    holed.bars.closeTick.forEach((tick, index, ticks) => (ticks[index] = index < 363 ? tick : tick + 400))
    const reported = { ...holed, completeness: { ...holed.completeness, gaps: 63, gapsAt } }
    expect(sigmaOf(reported) / sigmaOf(past(720))).toBeCloseTo(1, 2)
  })

  test('is what its fees pay for: LVR at that volatility is what liquidity earns', () => {
    const { sigma, standardError } = poolSigma(past(720), pool, implied)
    expect(standardError).toBeCloseTo(0.1 * sigma, 14)
    // 10,000 of liquidity at a price of 4, one token1 being 3 dollars.
    const lvrUsdADay = ((sigma ** 2 / 4) * 10_000 * 2 * 3) / 365
    expect(lvrUsdADay).toBeCloseTo(2_400 * 0.003, 8)
    expect(poolSigma(past(720), { ...pool, fee: 0 }, implied).sigma).toBe(0)
    const refusal = expect.objectContaining({ code: 'INSUFFICIENT_LIQUIDITY' })
    expect(() => poolSigma(past(720), { ...pool, liquidity: 0n }, implied)).toThrow(refusal)
    const unpriced = { ...past(720), figures: { ...past(720).figures, volumeUsd: null } }
    expect(() => poolSigma(unpriced, pool, implied)).toThrow(expect.objectContaining({ code: 'PRICE_UNAVAILABLE' }))
  })
})

test('nothing is implied by a week without a trade', () => {
  const history = past(720)
  history.figures.volumeUsd?.fill(0, 720 - 168)
  expect(() => poolSigma(history, pool, implied)).toThrow(
    expect.objectContaining({
      code: 'INSUFFICIENT_HISTORY',
      details: [expect.objectContaining({ field: 'volatilitySource', accepted: 'historical' })],
    }),
  )
})

test('of what the protocol takes of the fees nothing is implied', () => {
  const sigma = (protocolFee: number) => poolSigma(past(240), { ...pool, protocolFee }, implied).sigma
  // A quarter less of the fee, which counts once as a yield and once as the width of its tick, under the root.
  expect(sigma(0x44) / sigma(0)).toBeCloseTo(Math.sqrt(0.75), 9)
})
