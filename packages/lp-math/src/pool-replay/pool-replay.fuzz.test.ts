import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromJsbi, sdk, sdkCore, token0, token1 } from '../v3-sdk.fixture.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import { anyOrder, anyReplayPool, toOrder } from './pool-replay.fixture.ts'
import type { PoolState } from './pool-state.ts'
import { swapInPool } from './plan-swap.ts'

test('the event of a swap of any kind leads to the state the swap itself led to', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(anyReplayPool, fc.array(anyOrder, { minLength: 1, maxLength: 12 }), (pool, orders) => {
      const swapped = structuredClone(pool)
      const replayed = structuredClone(pool)
      for (const drawn of orders) {
        const order = toOrder(swapped, drawn)
        const before = swapped.sqrtPriceX96
        const fields = swapInPool(swapped, order)
        if (fields.amount0 === 0n && fields.amount1 === 0n && fields.sqrtPriceX96 === before) continue
        applyPoolEvent(replayed, { eventName: 'Swap', args: fields, timestamp: order.timestamp })
        expect(replayed).toEqual(swapped)
        kinds.add(`${order.exactIn} ${fields.sqrtPriceX96 === order.sqrtPriceLimitX96} ${fields.liquidity === 0n}`)
      }
    }),
    { numRuns: 150 },
  )
  expect(kinds.size).toBe(8)
})

test('an exact input and an exact output equal the oracle pool: amounts, price, tick and liquidity', async () => {
  await fc.assert(
    fc.asyncProperty(anyReplayPool, anyOrder, async (state, drawn) => {
      const { limit: _, ...rest } = drawn
      const order = toOrder(state, { ...rest, limit: null })
      const pool = oraclePool(state)
      const fields = swapInPool(state, order)
      const [amountIn, amountOut] = order.zeroForOne
        ? [fields.amount0, -fields.amount1]
        : [fields.amount1, -fields.amount0]
      // The oracle does not say what it leaves of an amount that exceeds the pool.
      fc.pre((order.exactIn ? amountIn : amountOut) === order.amountSpecified)
      const [tokenIn, tokenOut] = order.zeroForOne ? [token0, token1] : [token1, token0]
      const amount = (token: typeof token0, units: bigint) =>
        sdkCore.CurrencyAmount.fromRawAmount(token, units.toString())
      const [quoted, after] = order.exactIn
        ? await pool.getOutputAmount(amount(tokenIn, amountIn))
        : await pool.getInputAmount(amount(tokenOut, amountOut))
      expect(order.exactIn ? amountOut : amountIn).toBe(fromJsbi(quoted.quotient))
      expect(state.sqrtPriceX96).toBe(fromJsbi(after.sqrtRatioX96))
      expect(state.liquidity).toBe(fromJsbi(after.liquidity))
      expect(state.tick).toBe(after.tickCurrent)
    }),
    { numRuns: 150 },
  )
})

function oraclePool({ feePips, sqrtPriceX96, liquidity, tick, ticks }: PoolState) {
  const records = ticks.map((each) => ({
    index: each.tick,
    liquidityNet: each.liquidityNet.toString(),
    liquidityGross: each.liquidityGross.toString(),
  }))
  return new sdk.Pool(token0, token1, feePips, sqrtPriceX96.toString(), liquidity.toString(), tick, records)
}
