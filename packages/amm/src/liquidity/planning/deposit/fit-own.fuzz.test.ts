import {
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
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
        const own = { version: given.version, bounds, atHand, kept: undefined }
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
})
