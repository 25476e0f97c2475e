import { describe, expect, it } from 'vitest'
import { rowOf } from './evidence.fixture.ts'
import { type DepthOver, overAllPrices, poolDepth, type PoolReading } from './pool-reading.ts'

const e18 = 10n ** 18n
const side = { tokenIs0: true, tokenDecimals: 18, quoteDecimals: 18 }
const q96 = 1n << 96n
/** A price of 1 with a million of liquidity: a million on each side over all prices. */
const over: DepthOver = { priceE18: e18, spotE18: e18, sqrtPriceX96: q96, liquidity: 1_000_000n * e18 }
const plenty = { token: 10n ** 9n * e18, quote: 10n ** 9n * e18 }
const of = (held: PoolReading['held'], change: Partial<DepthOver> = {}, at = side) =>
  poolDepth({ row: rowOf(1), held, side: at }, { ...over, ...change })

describe('poolDepth', () => {
  it('is what liquidity holds within 20 percent, on either side', () => {
    const depth = of(plenty)
    expect(depth.tokenSide).toBeCloseTo(1e6 * (1 - 1 / Math.sqrt(1.2)), 6)
    expect(depth.quoteSide).toBeCloseTo(1e6 * (1 - Math.sqrt(0.8)), 6)
    expect(poolDepth({ row: rowOf(1), held: plenty, side }, over, overAllPrices)).toEqual({
      tokenSide: 1e6,
      quoteSide: 1e6,
    })
  })

  it('is no more on a side than the pool has there', () => {
    expect(of({ ...plenty, token: 7n * e18 })).toMatchObject({ tokenSide: 7, quoteSide: expect.closeTo(105_572.8, 1) })
    expect(of({ ...plenty, quote: 0n }).quoteSide).toBe(0)
    expect(of(null)).toEqual({ tokenSide: 0, quoteSide: 0 })
  })

  it('counts tokens at the price, in units of the quote', () => {
    const decimals = { tokenIs0: false, tokenDecimals: 8, quoteDecimals: 6 }
    const change = { priceE18: 100n * e18, spotE18: 100n * e18 }
    expect(of({ token: 5n * 10n ** 8n, quote: 300n * 10n ** 6n }, change, decimals)).toEqual({
      tokenSide: 500,
      quoteSide: 300,
    })
  })

  it('does not fall to nothing when a push of the moment empties a side', () => {
    const pushed = { token: 0n, quote: 80_000n * e18 }
    expect(of(pushed, { spotE18: 10n * e18 })).toEqual({ tokenSide: 40_000, quoteSide: 40_000 })
    expect(of(pushed, { spotE18: (e18 * 10_026n) / 10_000n }).tokenSide).toBe(40_000)
    // A pool that stands at the edge of what was parked on one side of it is no pool for the other.
    expect(of(pushed, { spotE18: (e18 * 10_024n) / 10_000n }).tokenSide).toBe(0)
  })

  it('of a v4 pool is half of what stands for sure between two ticks', () => {
    const row = { ...rowOf(1, 'v4', 500), tickSpacing: 10 }
    const depth = poolDepth({ row, held: null, side }, over)
    // At tick 0 all of it lies above, in the first token: a million by half a thousandth.
    expect(depth.tokenSide).toBeCloseTo((1e6 * (1 - 1.0001 ** -5)) / 2, 0)
    expect(depth.quoteSide).toBe(depth.tokenSide)
    expect(poolDepth({ row: rowOf(1, 'v4'), held: null, side }, over)).toEqual({ tokenSide: 0, quoteSide: 0 })
  })
})
