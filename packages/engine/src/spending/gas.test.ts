import { expect, it } from 'vitest'
import { expectedGasCost, gasLimitFor, worstGasCost } from './gas.ts'

it('covers refunds of a fifth and half as much again, up to the cap of one transaction', () => {
  expect(gasLimitFor(80_000n)).toBe(150_000n)
  expect(gasLimitFor(10_000_000n)).toBe(16_777_216n)
  expect(gasLimitFor(20_000_000n)).toBe(20_000_000n)
})

it('tells what gas will cost and what it may cost', () => {
  const fees = { maxFeePerGas: 20n, maxPriorityFeePerGas: 1n, expectedPerGas: 11n }
  expect(expectedGasCost([80_000n, 160_000n], fees)).toBe(2_640_000n)
  expect(worstGasCost([80_000n, 160_000n], fees)).toBe(9_000_000n)
})
