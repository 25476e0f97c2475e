import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyAmount, anyLiquidity, anySqrtPrice, fromJsbi, outcome, sdk, toJsbi } from '../v3-sdk.fixture.ts'
import { computeSwapStep, type SwapStepOptions } from './walk-swap.ts'

const anyStep: fc.Arbitrary<SwapStepOptions> = fc.record({
  sqrtPriceX96: anySqrtPrice,
  sqrtPriceTargetX96: anySqrtPrice,
  liquidity: anyLiquidity,
  amountRemaining: anyAmount,
  exactIn: fc.boolean(),
  feePips: fc.oneof(fc.constantFrom(100, 500, 3000, 10000), fc.integer({ min: 0, max: 999_999 })),
})

test('equals the oracle, in and out', () => {
  fc.assert(
    fc.property(anyStep, (options) => {
      const { sqrtPriceX96, sqrtPriceTargetX96, liquidity, amountRemaining, exactIn, feePips } = options
      fc.pre(amountRemaining > 0n || exactIn)
      const theirs = sdk.SwapMath.computeSwapStep(
        toJsbi(sqrtPriceX96),
        toJsbi(sqrtPriceTargetX96),
        toJsbi(liquidity),
        toJsbi(exactIn ? amountRemaining : -amountRemaining),
        feePips,
      ).map(fromJsbi)
      const own = computeSwapStep(options)
      expect([own.sqrtPriceNextX96, own.amountIn, own.amountOut, own.feeAmount]).toEqual(theirs)
    }),
    { numRuns: 4000 },
  )
})

test('stays within the target and the amount, and pays out no more than the segment holds at the worst of its prices', () => {
  fc.assert(
    fc.property(anyStep, (options) => {
      const { sqrtPriceX96, sqrtPriceTargetX96, amountRemaining, exactIn } = options
      const step = outcome(() => computeSwapStep(options))
      if (step === 'throws') return
      const [low, high] =
        sqrtPriceX96 < sqrtPriceTargetX96 ? [sqrtPriceX96, sqrtPriceTargetX96] : [sqrtPriceTargetX96, sqrtPriceX96]
      expect(step.sqrtPriceNextX96 >= low && step.sqrtPriceNextX96 <= high).toBe(true)
      expect((exactIn ? step.amountIn + step.feeAmount : step.amountOut) <= amountRemaining).toBe(true)
      // At the better of the two prices for the trader, what goes in is worth at least what comes out.
      const zeroForOne = sqrtPriceX96 >= sqrtPriceTargetX96
      const best = sqrtPriceX96 ** 2n
      expect(
        zeroForOne
          ? step.amountIn * best >= step.amountOut * 2n ** 192n
          : step.amountIn * 2n ** 192n >= step.amountOut * best,
      ).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('of v4 takes the input less its fee whole in a last step, and is else that of v3', () => {
  let differing = 0
  fc.assert(
    fc.property(anyStep, (options) => {
      const [v3, v4] = [
        outcome(() => computeSwapStep(options)),
        outcome(() => computeSwapStep({ ...options, version: 'v4' })),
      ]
      expect(v4 === 'throws').toBe(v3 === 'throws')
      if (v3 === 'throws' || v4 === 'throws') return
      const { amountRemaining, exactIn, feePips, sqrtPriceTargetX96 } = options
      expect(v4.amountIn + v4.feeAmount).toBe(v3.amountIn + v3.feeAmount)
      expect([v4.sqrtPriceNextX96, v4.amountOut]).toEqual([v3.sqrtPriceNextX96, v3.amountOut])
      if (v4.amountIn === v3.amountIn) return
      differing += 1
      // Source: SwapMath of v4-core.
      expect([exactIn, v4.amountIn]).toEqual([true, (amountRemaining * BigInt(1_000_000 - feePips)) / 1_000_000n])
      expect(v4.sqrtPriceNextX96 === sqrtPriceTargetX96).toBe(false)
    }),
    { numRuns: 4000, seed: 1 },
  )
  expect(differing).toBeGreaterThan(100)
})

test.each([-1, 1_000_000, 0.5, Number.NaN])('refuses a fee of %s', (feePips) => {
  const options = { sqrtPriceX96: 2n, sqrtPriceTargetX96: 1n, liquidity: 1n, amountRemaining: 1n, exactIn: true }
  expect(() => computeSwapStep({ ...options, feePips })).toThrow(expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }))
})

test('refuses a negative amount', () => {
  const options = { sqrtPriceX96: 2n, sqrtPriceTargetX96: 1n, liquidity: 1n, amountRemaining: -1n, feePips: 500 }
  const refusal = expect.objectContaining({ code: 'AMOUNT_NEGATIVE' })
  expect(() => computeSwapStep({ ...options, exactIn: true })).toThrow(refusal)
})
