import { expect, it } from 'vitest'
import { e18, fixedPrice, fixedPriceOfSqrt } from './price-range.ts'

it('are exact, and rounded down and up where they are not whole', () => {
  const ether = { tokenDecimals: 18, quoteDecimals: 6 }
  expect(fixedPrice(3_000_000_000n, e18, ether)).toEqual({ lowE18: 3_000n * e18, highE18: 3_000n * e18 })
  const third = fixedPrice(1n, 3n, { tokenDecimals: 0, quoteDecimals: 0 })
  expect(third).toEqual({ lowE18: 333_333_333_333_333_333n, highE18: 333_333_333_333_333_334n })
  expect(fixedPrice(1n, 10n ** 30n, { tokenDecimals: 0, quoteDecimals: 0 })).toEqual({ lowE18: 0n, highE18: 1n })
})

it('follow from square root prices in both directions', () => {
  const first = { tokenIs0: true, tokenDecimals: 18, quoteDecimals: 6 }
  expect(fixedPriceOfSqrt(1n << 96n, first)).toEqual({ lowE18: 10n ** 30n, highE18: 10n ** 30n })
  const second = { tokenIs0: false, tokenDecimals: 6, quoteDecimals: 6 }
  expect(fixedPriceOfSqrt(1n << 95n, second)).toEqual({ lowE18: 4n * e18, highE18: 4n * e18 })
})
