import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_UINT128 } from '../integers/integers.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice, nearestUsableTick } from '../ticks/ticks.ts'
import {
  anyAmount,
  anySqrtPrice,
  anyTick,
  fromJsbi,
  outcome,
  sdk,
  toJsbi,
  upToBits,
  sdkCore,
  token0,
  token1,
} from '../v3-sdk.fixture.ts'
import {
  getAmountsForLiquidity,
  getLiquidityForAmount0,
  getLiquidityForAmount1,
  getLiquidityForAmounts,
  burnAmountsWithSlippage,
  maxAmountsWithSlippage,
  mintAmountsWithSlippage,
  sqrtPricesAfterSlippage,
} from './liquidity.ts'

const anyRange = fc
  .uniqueArray(anyTick, { minLength: 2, maxLength: 2 })
  .map((ticks) => ticks.map(getSqrtPriceAtTick) as [bigint, bigint])

describe('liquidity for amounts', () => {
  test('equals the oracle in its router-exact form, and refuses what does not fit 128 bits', () => {
    fc.assert(
      fc.property(anySqrtPrice, anyRange, anyAmount, anyAmount, (price, [a, b], amount0, amount1) => {
        const theirs = fromJsbi(
          sdk.maxLiquidityForAmounts(
            toJsbi(price),
            toJsbi(a),
            toJsbi(b),
            amount0.toString(),
            amount1.toString(),
            false,
          ),
        )
        // In range the contracts cast both sides to 128 bits, so the larger one may be what does not fit.
        const [lower, upper] = a < b ? [a, b] : [b, a]
        const [from, to] = [price > lower ? price : lower, price < upper ? price : upper]
        const side0 = from < upper ? (amount0 * ((from * upper) >> 96n)) / (upper - from) : 0n
        const side1 = to > lower ? (amount1 << 96n) / (to - lower) : 0n
        const own = outcome(() => getLiquidityForAmounts(price, a, b, amount0, amount1))
        expect(own).toBe(side0 > MAX_UINT128 || side1 > MAX_UINT128 ? 'throws' : theirs)
      }),
      { numRuns: 3000 },
    )
  })

  test('one-sided forms are the two halves of the whole', () => {
    fc.assert(
      fc.property(anyRange, upToBits(90), ([a, b], amount) => {
        const [lower, upper] = a < b ? [a, b] : [b, a]
        expect(outcome(() => getLiquidityForAmount0(a, b, amount))).toBe(
          outcome(() => getLiquidityForAmounts(lower, lower, upper, amount, 0n)),
        )
        expect(outcome(() => getLiquidityForAmount1(a, b, amount))).toBe(
          outcome(() => getLiquidityForAmounts(upper, lower, upper, 0n, amount)),
        )
      }),
    )
  })

  test('refuses an empty range and negative amounts', () => {
    expect(() => getLiquidityForAmounts(5n, 7n, 7n, 1n, 1n)).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
    expect(() => getLiquidityForAmounts(9n, 7n, 7n, 1n, 1n)).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
    const [lower, upper] = [getSqrtPriceAtTick(-60), getSqrtPriceAtTick(60)]
    const refusal = expect.objectContaining({ code: 'AMOUNT_NEGATIVE' })
    expect(() => getLiquidityForAmount0(lower, upper, -1n)).toThrow(refusal)
    expect(() => getLiquidityForAmount1(lower, upper, -1n)).toThrow(refusal)
  })
})

describe('amounts for liquidity', () => {
  const anyPosition = fc.record({ price: anySqrtPrice, range: anyRange, liquidity: upToBits(120) })

  test('equal the oracle position: mint amounts rounded up, held amounts rounded down', () => {
    fc.assert(
      fc.property(anyPosition, ({ price, range: [a, b], liquidity }) => {
        const [lower, upper] = a < b ? [a, b] : [b, a]
        const at = price < lower ? lower : price > upper ? upper : price
        for (const roundUp of [true, false]) {
          expect(getAmountsForLiquidity(price, a, b, liquidity, roundUp)).toEqual({
            amount0: fromJsbi(sdk.SqrtPriceMath.getAmount0Delta(toJsbi(at), toJsbi(upper), toJsbi(liquidity), roundUp)),
            amount1: fromJsbi(sdk.SqrtPriceMath.getAmount1Delta(toJsbi(lower), toJsbi(at), toJsbi(liquidity), roundUp)),
          })
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('a mint never costs more than the amounts its liquidity was bought with', () => {
    fc.assert(
      fc.property(anySqrtPrice, anyRange, upToBits(100), upToBits(100), (price, [a, b], amount0, amount1) => {
        const liquidity = outcome(() => getLiquidityForAmounts(price, a, b, amount0, amount1))
        if (liquidity === 'throws') return
        const cost = getAmountsForLiquidity(price, a, b, liquidity, true)
        expect(cost.amount0).toBeLessThanOrEqual(amount0)
        expect(cost.amount1).toBeLessThanOrEqual(amount1)
      }),
      { numRuns: 2000 },
    )
  })

  test('a burn never gives more than the mint of the same liquidity cost', () => {
    fc.assert(
      fc.property(anyPosition, ({ price, range: [a, b], liquidity }) => {
        const cost = getAmountsForLiquidity(price, a, b, liquidity, true)
        const gain = getAmountsForLiquidity(price, a, b, liquidity, false)
        expect(gain.amount0).toBeLessThanOrEqual(cost.amount0)
        expect(gain.amount1).toBeLessThanOrEqual(cost.amount1)
      }),
    )
  })
})

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
