import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyPool } from '../pool.fixture.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice } from '../ticks/ticks.ts'
import { fromJsbi, outcome, sdk, sdkCore, token0, token1, upToBits } from '../v3-sdk.fixture.ts'
import { swapThroughTicks } from './solve-swap-to-ratio.ts'

const anyAmountIn = upToBits(100).map((value) => value + 1n)

test('equals the oracle pool to the unit: the other amount, price, tick and liquidity, for an amount in and for one out', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPool({ fullRange: true }),
      anyAmountIn,
      fc.boolean(),
      fc.boolean(),
      async ({ state }, amount, zeroForOne, exactIn) => {
        const own = swapThroughTicks({ ...state, amountSpecified: amount, zeroForOne, exactIn })
        // The oracle does not say what it leaves of an amount that exceeds the pool.
        fc.pre((exactIn ? own.amountIn : own.amountOut) === amount)
        const ticks = state.ticks.map(({ tick, liquidityNet }) => ({
          index: tick,
          liquidityNet: liquidityNet.toString(),
          liquidityGross: '1',
        }))
        const { feePips, sqrtPriceX96, liquidity, tick } = state
        const pool = new sdk.Pool(token0, token1, feePips, sqrtPriceX96.toString(), liquidity.toString(), tick, ticks)
        const specified = zeroForOne === exactIn ? token0 : token1
        const given = sdkCore.CurrencyAmount.fromRawAmount(specified, amount.toString())
        const [other, after] = await (exactIn ? pool.getOutputAmount(given) : pool.getInputAmount(given))
        expect(exactIn ? own.amountOut : own.amountIn).toBe(fromJsbi(other.quotient))
        expect(own.sqrtPriceX96After).toBe(fromJsbi(after.sqrtRatioX96))
        expect(own.liquidityAfter).toBe(fromJsbi(after.liquidity))
        expect(own.tickAfter).toBe(after.tickCurrent)
      },
    ),
    { numRuns: 600 },
  )
})

test('takes the amount as one in unless it is told otherwise', () => {
  const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 18n, feePips: 3000, ticks: [] }
  const order = { ...pool, amountSpecified: 10n ** 15n, zeroForOne: true }
  expect(swapThroughTicks(order)).toEqual(swapThroughTicks({ ...order, exactIn: true }))
})

test('without the tick spacing it differs by at most a unit of input and output per word of the path', () => {
  fc.assert(
    fc.property(anyPool({ fullRange: false }), anyAmountIn, fc.boolean(), ({ state }, amount, zeroForOne) => {
      const { tickSpacing, ...pool } = state
      const exact = swapThroughTicks({ ...pool, tickSpacing, amountSpecified: amount, zeroForOne })
      const coarse = swapThroughTicks({ ...pool, amountSpecified: amount, zeroForOne })
      const words = BigInt(Math.ceil(Math.abs(exact.tickAfter - pool.tick) / (256 * tickSpacing)) + 2)
      const price = Number(pool.sqrtPriceX96) ** 2 / 2 ** 192
      // A unit of input is worth this many units of output: rounding the input by one shifts the output by as much.
      const unit = BigInt(Math.ceil(2 * (zeroForOne ? price : 1 / price))) + 1n
      expect(coarse.amountOut).toBeGreaterThanOrEqual(exact.amountOut)
      expect(coarse.amountOut - exact.amountOut).toBeLessThanOrEqual(words * unit)
    }),
    { numRuns: 400 },
  )
})

test('there and back never leaves a trader with more than at first', () => {
  fc.assert(
    fc.property(anyPool({ fullRange: true }), anyAmountIn, fc.boolean(), ({ state }, amount, zeroForOne) => {
      const there = swapThroughTicks({ ...state, amountSpecified: amount, zeroForOne })
      const middle = {
        ...state,
        sqrtPriceX96: there.sqrtPriceX96After,
        tick: there.tickAfter,
        liquidity: there.liquidityAfter,
      }
      const back = swapThroughTicks({ ...middle, amountSpecified: there.amountOut, zeroForOne: !zeroForOne })
      expect(back.amountOut).toBeLessThanOrEqual(there.amountIn)
    }),
    { numRuns: 400 },
  )
})

test('more in gives no less out, and a swap cut in two gives no more than whole', () => {
  fc.assert(
    fc.property(anyPool({ fullRange: true }), anyAmountIn, anyAmountIn, fc.boolean(), ({ state }, a, b, zeroForOne) => {
      const first = swapThroughTicks({ ...state, amountSpecified: a, zeroForOne })
      const whole = swapThroughTicks({ ...state, amountSpecified: a + b, zeroForOne })
      expect(whole.amountOut).toBeGreaterThanOrEqual(first.amountOut)
    }),
    { numRuns: 400 },
  )
})

test('stops at the price limit, and where the liquidity ends', () => {
  const position = { tickLower: -600, tickUpper: 600 }
  const ticks = [
    { tick: position.tickLower, liquidityNet: 10n ** 18n },
    { tick: position.tickUpper, liquidityNet: -(10n ** 18n) },
  ]
  const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 18n, feePips: 3000, ticks, tickSpacing: 60 }
  const sqrtPriceLimitX96 = getSqrtPriceAtTick(-60)
  const limited = swapThroughTicks({ ...pool, amountSpecified: 10n ** 18n, zeroForOne: true, sqrtPriceLimitX96 })
  expect(limited.sqrtPriceX96After).toBe(sqrtPriceLimitX96)
  expect(limited.amountIn).toBeLessThan(10n ** 18n)
  expect(limited.crossed).toBe(0)
  expect(limited.tickAfter).toBe(getTickAtSqrtPrice(sqrtPriceLimitX96))

  const exhausted = swapThroughTicks({ ...pool, amountSpecified: 10n ** 18n, zeroForOne: false })
  expect(exhausted.crossed).toBe(1)
  expect(exhausted.liquidityAfter).toBe(0n)
  expect(exhausted.amountIn).toBeLessThan(10n ** 18n)
  expect(exhausted.feeAmount * 1_000_000n).toBeGreaterThanOrEqual(exhausted.amountIn * 3000n)
})

test('nothing in, nothing moves', () => {
  const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 18n, feePips: 3000, ticks: [] }
  expect(swapThroughTicks({ ...pool, amountSpecified: 0n, zeroForOne: true })).toEqual({
    amountIn: 0n,
    amountOut: 0n,
    feeAmount: 0n,
    sqrtPriceX96After: 2n ** 96n,
    tickAfter: 0,
    liquidityAfter: 10n ** 18n,
    crossed: 0,
  })
})

test('refuses ticks out of order, ticks that do not fit the liquidity, and a limit behind the price', () => {
  const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 5n, feePips: 3000, amountSpecified: 10n ** 9n }
  const at = (tick: number, liquidityNet = 1n) => ({ tick, liquidityNet })
  const swap = (ticks: { tick: number; liquidityNet: bigint }[], sqrtPriceLimitX96?: bigint) =>
    swapThroughTicks({
      ...pool,
      zeroForOne: true,
      ticks,
      ...(sqrtPriceLimitX96 === undefined ? {} : { sqrtPriceLimitX96 }),
    })
  expect(() => swap([at(10), at(-10)])).toThrow(expect.objectContaining({ code: 'TICKS_UNSORTED' }))
  expect(() => swap([at(10), at(10)])).toThrow(expect.objectContaining({ code: 'TICKS_UNSORTED' }))
  expect(() => swap([at(-10, 6n)])).toThrow(expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' }))
  expect(() => swap([], 2n ** 96n + 1n)).toThrow(expect.objectContaining({ code: 'SQRT_PRICE_LIMIT_PASSED' }))
  expect(() => swap([], 1n)).toThrow(expect.objectContaining({ code: 'SQRT_PRICE_OUT_OF_RANGE' }))
  expect(outcome(() => swap([at(-10, 5n)]))).not.toBe('throws')
})
