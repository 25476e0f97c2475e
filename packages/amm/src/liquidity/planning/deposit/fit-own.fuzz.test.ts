import {
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  LpMathError,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitOwn, fitsAsIs } from './fit-own.ts'

const tick = fc.integer({ min: -200_000, max: 200_000 })
const width = fc.integer({ min: 60, max: 60_000 })
const arbitrary = fc.record({
  version: fc.constantFrom('v3' as const, 'v4' as const),
  now: tick,
  below: width,
  above: width,
  newBelow: width,
  newAbove: width,
  liquidity: fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n }),
  fees0: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  fees1: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  slippageBps: fc.integer({ min: 1, max: 500 }),
})

/** A range beside the price, around it, or at its edge. */
const anywhere = fc.record({
  shift: fc.integer({ min: -700, max: 700 }),
  wide: fc.integer({ min: 10, max: 900 }),
})

/** Nothing where the contract would revert. */
function mintedAt(
  price: bigint,
  { sqrtPriceAX96, sqrtPriceBX96 }: { readonly sqrtPriceAX96: bigint; readonly sqrtPriceBX96: bigint },
  { amount0, amount1 }: { readonly amount0: bigint; readonly amount1: bigint },
): bigint {
  try {
    return getLiquidityForAmounts(price, sqrtPriceAX96, sqrtPriceBX96, amount0, amount1)
  } catch (error) {
    if (error instanceof LpMathError) return 0n
    throw error
  }
}

describe('fitOwn', () => {
  it('takes no more than is at hand at the price and at both ends of its slippage, and most of it where the shape allows', () => {
    fc.assert(
      fc.property(arbitrary, (given) => {
        const sqrtPriceX96 = getSqrtPriceAtTick(given.now)
        const [lower, upper] = [
          getSqrtPriceAtTick(given.now - given.below),
          getSqrtPriceAtTick(given.now + given.above),
        ]
        const bounds = {
          sqrtPriceX96,
          sqrtPriceAX96: getSqrtPriceAtTick(given.now - given.newBelow),
          sqrtPriceBX96: getSqrtPriceAtTick(given.now + given.newAbove),
        }
        const atHand = (price: bigint) => {
          const paid = getAmountsForLiquidity(price, lower, upper, given.liquidity, false)
          return { amount0: paid.amount0 + given.fees0, amount1: paid.amount1 + given.fees1 }
        }
        const bare = (price: bigint) => getAmountsForLiquidity(price, lower, upper, given.liquidity, false)
        const own = { version: given.version, bounds, atHand, bends: [lower, upper], kept: undefined }
        const fitted = fitOwn({ ...own, slippageBps: given.slippageBps })
        expect(fitted.slippageBps).toBeLessThanOrEqual(given.slippageBps)
        const { sqrtPriceAX96, sqrtPriceBX96 } = bounds
        const ends = sqrtPricesAfterSlippage(sqrtPriceX96, fitted.slippageBps)
        for (const price of [sqrtPriceX96, ends.lower, ends.upper]) {
          const taken =
            given.version === 'v4' || price === sqrtPriceX96
              ? fitted.liquidity
              : getLiquidityForAmounts(price, sqrtPriceAX96, sqrtPriceBX96, fitted.amount0, fitted.amount1)
          const takes = getAmountsForLiquidity(price, sqrtPriceAX96, sqrtPriceBX96, taken, true)
          const has = atHand(price)
          expect(takes.amount0 <= has.amount0 && takes.amount1 <= has.amount1).toBe(true)
        }
        // A range of the same shape takes it all.
        expect(
          fitsAsIs({ ...own, bounds: { sqrtPriceX96, sqrtPriceAX96: lower, sqrtPriceBX96: upper }, atHand: bare }),
        ).toBe(true)
      }),
      { numRuns: 400, seed: 20 },
    )
  })

  it('takes no more than is at hand anywhere between the ends of its slippage, wherever both ranges lie', () => {
    fc.assert(
      fc.property(arbitrary, anywhere, (given, { shift, wide }) => {
        const sqrtPriceX96 = getSqrtPriceAtTick(given.now)
        const [lower, upper] = [given.now - Math.ceil(given.below / 100), given.now + Math.ceil(given.above / 100)].map(
          getSqrtPriceAtTick,
        ) as [bigint, bigint]
        const [sqrtPriceAX96, sqrtPriceBX96] = [given.now + shift, given.now + shift + wide].map(
          getSqrtPriceAtTick,
        ) as [bigint, bigint]
        const bounds = { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 }
        const atHand = (price: bigint) => getAmountsForLiquidity(price, lower, upper, given.liquidity, false)
        const own = { version: given.version, bounds, atHand, bends: [lower, upper], kept: undefined }
        const fitted = fitOwn({ ...own, slippageBps: given.slippageBps })
        const ends = sqrtPricesAfterSlippage(sqrtPriceX96, fitted.slippageBps)
        const steps = Array.from({ length: 41 }, (_, at) => ends.lower + ((ends.upper - ends.lower) * BigInt(at)) / 40n)
        for (const price of [...steps, lower, upper, sqrtPriceAX96, sqrtPriceBX96]) {
          if (price < ends.lower || price > ends.upper) continue
          const liquidity =
            given.version === 'v4' || price === sqrtPriceX96 ? fitted.liquidity : mintedAt(price, bounds, fitted)
          const takes = getAmountsForLiquidity(price, sqrtPriceAX96, sqrtPriceBX96, liquidity, true)
          const has = atHand(price)
          // Liquidity is whole, so a v3 deposit may round by what one unit of it takes.
          expect(takes.amount0 <= has.amount0 + has.amount0 / 10n ** 9n + 1n).toBe(true)
          expect(takes.amount1 <= has.amount1 + has.amount1 / 10n ** 9n + 1n).toBe(true)
        }
      }),
      { numRuns: 400, seed: 21, endOnFailure: true },
    )
  })
})
