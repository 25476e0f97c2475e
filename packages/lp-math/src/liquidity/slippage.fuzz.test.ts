import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { getSqrtPriceAtTick, getTickAtSqrtPrice } from '../ticks/sqrt-price-of-tick.ts'
import { nearestUsableTick } from '../ticks/ticks.ts'
import { anySqrtPrice, fromJsbi, sdk, sdkCore, token0, token1, upToBits } from '../v3-sdk.fixture.ts'
import {
  burnAmountsWithSlippage,
  maxAmountsWithSlippage,
  mintAmountsWithSlippage,
  sqrtPricesAfterSlippage,
} from './slippage.ts'
import { getAmountsForLiquidity } from './amounts.ts'

// The oracle's Position rounds its ticks to a spacing; the 0.01 % tier has spacing 1.
const anyPosition = fc
  .record({
    sqrtPriceX96: anySqrtPrice,
    liquidity: upToBits(100).map((value) => value + 1n),
    slippageBps: fc.integer({ min: 0, max: 10_000 }),
    width: fc.integer({ min: 1, max: 200_000 }),
    shift: fc.integer({ min: -100_000, max: 100_000 }),
  })
  .map(({ sqrtPriceX96, liquidity, slippageBps, width, shift }) => {
    const centre = getTickAtSqrtPrice(sqrtPriceX96) + shift
    const tickLower = nearestUsableTick(Math.max(-887272, Math.min(887271, centre - (width >> 1))), 1)
    const tickUpper = Math.min(887272, tickLower + width)
    return { sqrtPriceX96, liquidity, slippageBps, tickLower, tickUpper }
  })

type Position = typeof anyPosition extends fc.Arbitrary<infer T> ? T : never

function options(position: Position) {
  const { tickLower, tickUpper, ...rest } = position
  return { ...rest, sqrtPriceAX96: getSqrtPriceAtTick(tickLower), sqrtPriceBX96: getSqrtPriceAtTick(tickUpper) }
}

function oracle({ sqrtPriceX96, liquidity, tickLower, tickUpper }: Position) {
  const tick = getTickAtSqrtPrice(sqrtPriceX96)
  const pool = new sdk.Pool(token0, token1, sdk.FeeAmount.LOWEST, sqrtPriceX96.toString(), 0, tick)
  return new sdk.Position({ pool, liquidity: liquidity.toString(), tickLower, tickUpper })
}

test('mint and burn bounds equal the oracle', () => {
  fc.assert(
    fc.property(anyPosition, (position) => {
      const slippage = new sdkCore.Percent(position.slippageBps, 10_000)
      const mint = oracle(position).mintAmountsWithSlippage(slippage)
      const burn = oracle(position).burnAmountsWithSlippage(slippage)
      expect(mintAmountsWithSlippage(options(position))).toEqual({
        amount0: fromJsbi(mint.amount0),
        amount1: fromJsbi(mint.amount1),
      })
      expect(burnAmountsWithSlippage(options(position))).toEqual({
        amount0: fromJsbi(burn.amount0),
        amount1: fromJsbi(burn.amount1),
      })
    }),
    { numRuns: 500 },
  )
})

test('at any price within the slippage a burn gives at least its bound and a v4 mint costs at most its bound', () => {
  fc.assert(
    fc.property(anyPosition, fc.integer({ min: 0, max: 1000 }), (position, permille) => {
      const { sqrtPriceAX96, sqrtPriceBX96, liquidity } = options(position)
      const { lower, upper } = sqrtPricesAfterSlippage(position.sqrtPriceX96, position.slippageBps)
      // At the very bounds of a pool the prices are kept one unit inside and say nothing of this position.
      fc.pre(lower <= position.sqrtPriceX96 && position.sqrtPriceX96 <= upper)
      const moved = lower + ((upper - lower) * BigInt(permille)) / 1000n
      const gain = getAmountsForLiquidity(moved, sqrtPriceAX96, sqrtPriceBX96, liquidity, false)
      const cost = getAmountsForLiquidity(moved, sqrtPriceAX96, sqrtPriceBX96, liquidity, true)
      const least = burnAmountsWithSlippage(options(position))
      const most = maxAmountsWithSlippage(options(position))
      expect(gain.amount0).toBeGreaterThanOrEqual(least.amount0)
      expect(gain.amount1).toBeGreaterThanOrEqual(least.amount1)
      expect(cost.amount0).toBeLessThanOrEqual(most.amount0)
      expect(cost.amount1).toBeLessThanOrEqual(most.amount1)
    }),
    { numRuns: 1500 },
  )
})

test('the v4 bounds are tight: reached at the two dearest prices', () => {
  const position = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 18n, slippageBps: 50, tickLower: -600, tickUpper: 600 }
  const { sqrtPriceAX96, sqrtPriceBX96, liquidity } = options(position)
  const { lower, upper } = sqrtPricesAfterSlippage(position.sqrtPriceX96, 50)
  const most = maxAmountsWithSlippage(options(position))
  expect(most.amount0).toBe(getAmountsForLiquidity(lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount0)
  expect(most.amount1).toBe(getAmountsForLiquidity(upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount1)
  expect(most.amount0).toBeGreaterThan(
    getAmountsForLiquidity(2n ** 96n, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount0,
  )
})

test.each([-1, 10_001, 0.5, Number.NaN])('refuses a slippage of %s', (slippageBps) => {
  expect(() => sqrtPricesAfterSlippage(2n ** 96n, slippageBps)).toThrow(
    expect.objectContaining({ code: 'SLIPPAGE_OUT_OF_RANGE' }),
  )
})
