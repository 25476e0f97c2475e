import { getSqrtPriceAtTick } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { ToolError } from '../../../tool-error.ts'
import { fitAmounts } from './fit-amounts.ts'

const [lower, inside, upper] = [-1_000, 0, 1_000].map(getSqrtPriceAtTick) as [bigint, bigint, bigint]
const fields = { amount0: 'amount0', amount1: 'amount1' }
const above = { sqrtPriceX96: upper, sqrtPriceAX96: lower, sqrtPriceBX96: inside, fields }
const below = { sqrtPriceX96: lower, sqrtPriceAX96: inside, sqrtPriceBX96: upper, fields }

test.each([
  ['the first is not used', { ...above, amount0: 5n, amount1: null }, 'amount0', 'amount0 0 and amount1 above 0'],
  ['the second is missing', { ...above, amount0: 0n, amount1: null }, 'amount1', 'amount0 0 and amount1 above 0'],
  [
    'the second is not used',
    { ...below, amount0: 5n, amount1: 5n },
    'amount1',
    'amount1 0 or left out and amount0 above 0',
  ],
])('of a range that takes one token the error says what both amounts may be: %s', (_what, asked, field, accepted) => {
  let refusal: unknown
  try {
    fitAmounts(asked)
  } catch (error) {
    refusal = error
  }
  expect(refusal).toBeInstanceOf(ToolError)
  expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field, accepted }] })
})
