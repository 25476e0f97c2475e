import { largestAmountUsdMicros } from '@svc/store'
import { expect, it } from 'vitest'
import { countable } from '../spending/countable.ts'

it('counts a sum as it is, not less than asked, and what is absurd as the most the ledger takes', () => {
  expect([countable(5n), countable(5n, 7n), countable(7n, 5n)]).toEqual([5n, 7n, 7n])
  expect(countable(2n ** 200n)).toBe(largestAmountUsdMicros)
})
