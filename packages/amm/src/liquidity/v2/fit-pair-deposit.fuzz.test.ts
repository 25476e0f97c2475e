import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fitPairDeposit } from './plan-add.ts'

const reserve = fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n })
const amount = fc.bigInt({ min: 10n ** 5n, max: 10n ** 24n })

it('takes at most what is desired, uses one side up but for rounding, and settles at once', () => {
  fc.assert(
    fc.property(reserve, reserve, amount, amount, (reserve0, reserve1, amount0, amount1) => {
      const pair = { reserve0, reserve1, totalSupply: 10n ** 24n }
      fc.pre((amount0 * reserve1) / reserve0 > 1000n && (amount1 * reserve0) / reserve1 > 1000n)
      const taken = fitPairDeposit({ amount0, amount1 }, pair)
      expect(taken.amount0 <= amount0 && taken.amount1 <= amount1).toBe(true)
      const unused = [amount0 - taken.amount0, amount1 - taken.amount1]
      // Rounding the other side down by one unit gives up less than one unit's worth of this one.
      const unitWorth = reserve1 / reserve0 + 1n
      expect(unused[0] === 0n || unused[1]! <= unitWorth).toBe(true)
      expect(fitPairDeposit(taken, pair)).toEqual(taken)
    }),
  )
})

it('finds the missing amount at the ratio of the reserves', () => {
  const pair = { reserve0: 2_000n, reserve1: 6_000_000n, totalSupply: 100_000n }
  expect(fitPairDeposit({ amount0: 10n, amount1: null }, pair)).toMatchObject({ amount0: 10n, amount1: 30_000n })
  expect(fitPairDeposit({ amount0: null, amount1: 30_000n }, pair)).toMatchObject({ amount0: 10n, amount1: 30_000n })
})

it('takes both amounts of an empty pair, less the units that stay locked for ever', () => {
  const pair = { reserve0: 0n, reserve1: 0n, totalSupply: 0n }
  expect(fitPairDeposit({ amount0: 4_000n, amount1: 9_000n }, pair)).toEqual({
    amount0: 4_000n,
    amount1: 9_000n,
    liquidity: 5_000n,
  })
})

it.each([
  [
    { amount0: 1n, amount1: null },
    { reserve0: 10n ** 9n, reserve1: 10n ** 6n, totalSupply: 10n ** 7n },
  ],
  [
    { amount0: 0n, amount1: 5n },
    { reserve0: 10n ** 9n, reserve1: 10n ** 6n, totalSupply: 10n ** 7n },
  ],
  [
    { amount0: 30n, amount1: 30n },
    { reserve0: 0n, reserve1: 0n, totalSupply: 0n },
  ],
] as const)('refuses what would mint nothing (%#)', (desired, pair) => {
  expect(() => fitPairDeposit(desired, pair)).toThrow(expect.objectContaining({ code: 'AMOUNT_TOO_SMALL' }))
})
