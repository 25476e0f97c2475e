import { getLiquidityForAmounts, getSqrtPriceAtTick, LpMathError, sqrtPricesAfterSlippage } from '@svc/lp-math'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { liquidityForAmounts } from './fit-amounts.ts'

const ranges = fc
  .tuple(fc.integer({ min: -300_000, max: 300_000 }), fc.integer({ min: 10, max: 40_000 }))
  .map(([tickLower, width]) => ({
    sqrtPriceAX96: getSqrtPriceAtTick(tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(tickLower + width),
  }))
const amounts = fc.bigInt({ min: 1n, max: 10n ** 24n })
const within = fc.double({ min: 0.001, max: 0.999, noNaN: true })

const between = (lower: bigint, upper: bigint, share: number): bigint =>
  lower + ((upper - lower) * BigInt(Math.floor(share * 1e9))) / 10n ** 9n

function attempt<Value>(compute: () => Value): Value | null {
  try {
    return compute()
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

describe('the liquidity of fixed amounts', () => {
  it('is never below the least, wherever within the slippage the price goes', () => {
    fc.assert(
      fc.property(
        ranges,
        within,
        amounts,
        amounts,
        fc.integer({ min: 0, max: 1_000 }),
        within,
        (range, place, amount0, amount1, slippageBps, moved) => {
          const { sqrtPriceAX96, sqrtPriceBX96 } = range
          const sqrtPriceX96 = between(sqrtPriceAX96, sqrtPriceBX96, place)
          const bounds = { ...range, sqrtPriceX96 }
          const bought = attempt(() => liquidityForAmounts({ bounds, amount0, amount1, slippageBps }))
          if (bought === null) return
          const { lower, upper } = sqrtPricesAfterSlippage(sqrtPriceX96, slippageBps)
          const at = (price: bigint) =>
            attempt(() => getLiquidityForAmounts(price, sqrtPriceAX96, sqrtPriceBX96, amount0, amount1))
          expect(bought.liquidity).toBe(at(sqrtPriceX96))
          expect(bought.minLiquidity <= bought.liquidity).toBe(true)
          for (const price of [lower, between(lower, upper, moved), upper]) {
            const liquidity = at(price)
            expect(liquidity === null || liquidity >= bought.minLiquidity).toBe(true)
          }
        },
      ),
      { seed: 13, numRuns: 3_000 },
    )
  })

  it('of one token beside the price is the same at every price beside it', () => {
    const range = { sqrtPriceAX96: getSqrtPriceAtTick(0), sqrtPriceBX96: getSqrtPriceAtTick(100) }
    for (const [tick, amount0, amount1] of [
      [-1, 10n ** 18n, 0n],
      [101, 0n, 10n ** 18n],
    ] as const) {
      const bounds = { ...range, sqrtPriceX96: getSqrtPriceAtTick(tick) }
      const { liquidity, minLiquidity } = liquidityForAmounts({ bounds, amount0, amount1, slippageBps: 100 })
      expect([liquidity > 0n, minLiquidity]).toEqual([true, liquidity])
    }
  })
})
