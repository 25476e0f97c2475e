import { zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { checkGasCap } from './gas-cap.ts'
import { unpricedGasCapWei, worstGasCost } from './gas.ts'
import { parsePolicy } from '../policy/policy.ts'

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
  expect(checkGasCap(policyOf('lenient'), [100_000n], feesOf(perGas), unpriced, false)).toEqual([])
  expect(checkGasCap(policyOf('lenient'), [100_000n], feesOf(perGas + gwei), unpriced, false)).toMatchObject([
    { code: 'SPENDING_LIMIT_EXCEEDED', details: [{ limit: 'gas', cap: '0.02' }] },
  ])
  expect(checkGasCap(policyOf('strict'), [100_000n], feesOf(1n), unpriced, false)).toMatchObject([
    { code: 'PRICE_UNAVAILABLE', details: [{ limit: 'gas', token: zeroAddress }] },
  ])
})
