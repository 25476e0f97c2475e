import { zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { dearGas } from './dear-gas.ts'
import { boundedTip, unpricedGasCapWei, worstGasCost } from './gas.ts'
import { parsePolicy } from './policy.ts'

const gwei = 10n ** 9n
const policyOf = (mode: 'strict' | 'lenient') =>
  parsePolicy(
    {
      version: 1,
      limitsUsd: { perTransaction: '500', perSession: '1000', daily: '2000' },
      approvalThresholdUsd: null,
      allowlist: { mode },
    },
    { production: false },
  )
const feesOf = (maxFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas: gwei, expectedPerGas: maxFeePerGas })
const unpriced = new Map()

it('holds gas to a fixed sum of a currency without a price, and refuses all of it when strict', () => {
  const perGas = unpricedGasCapWei / worstGasCost([100_000n], feesOf(1n))
  expect(dearGas(policyOf('lenient'), [100_000n], feesOf(perGas), unpriced)).toEqual([])
  expect(dearGas(policyOf('lenient'), [100_000n], feesOf(perGas + gwei), unpriced)).toMatchObject([
    { code: 'SPENDING_LIMIT_EXCEEDED', details: [{ limit: 'gas', cap: '0.02' }] },
  ])
  expect(dearGas(policyOf('strict'), [100_000n], feesOf(1n), unpriced)).toMatchObject([
    { code: 'PRICE_UNAVAILABLE', details: [{ limit: 'gas', token: zeroAddress }] },
  ])
})

it('cuts the tip an endpoint names to twice the base fee, or the floor of the chain', () => {
  expect(boundedTip(12_000n * gwei, 10n * gwei, 1)).toBe(20n * gwei)
  expect(boundedTip(12_000n * gwei, 1n, 1)).toBe(5n * gwei)
  expect(boundedTip(30n * gwei, 1n, 137)).toBe(30n * gwei)
  expect(boundedTip(2n * gwei, gwei, 1)).toBe(2n * gwei)
})
