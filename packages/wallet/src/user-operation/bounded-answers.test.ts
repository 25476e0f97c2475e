import { numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { gasLimitsOf, paymentOf, requireFees } from './prepare-user-operation.ts'

const owner = '0x00000000000000000000000000000000000000aA'
const paymaster = '0x00000000000000000000000000000000000000bB'
const paid = {
  paymaster,
  paymasterData: '0x01',
  paymasterVerificationGasLimit: 1n,
  paymasterPostOpGasLimit: 2n,
} as const
const limits = { callGasLimit: 1n, verificationGasLimit: 2n, preVerificationGas: 2n ** 30n }

test('of an answer nothing is taken but what was asked for', () => {
  const more = { sender: paymaster, callData: '0xbad0', nonce: 7n, factory: paymaster, maxFeePerGas: 9n }
  expect(paymentOf({ ...more, ...limits, ...paid }, owner)).toStrictEqual(paid)
  expect(paymentOf({ paymaster, paymasterData: '0x' }, owner)).toStrictEqual({ paymaster, paymasterData: '0x' })
  expect(gasLimitsOf({ ...more, ...paid, ...limits })).toStrictEqual(limits)
})

describe('beyond bounds it is refused', () => {
  test.each([
    ['no answer', null],
    ['no paymaster', { paymasterData: '0x' }],
    ['the account as its own paymaster', { ...paid, paymaster: owner.toLowerCase() }],
    ['no data', { paymaster }],
    ['long data', { ...paid, paymasterData: numberToHex(0, { size: 8_193 }) }],
    ['gas for validation', { ...paid, paymasterVerificationGasLimit: 2n ** 24n + 1n }],
    ['gas for what comes after', { ...paid, paymasterPostOpGasLimit: 2n ** 24n + 1n }],
    ['gas below nothing', { ...paid, paymasterPostOpGasLimit: -1n }],
  ])('%s of a paymaster', (_what, answer) => {
    expect(() => paymentOf(answer, owner)).toThrow(expect.objectContaining({ code: 'PAYMASTER_REFUSED' }))
  })

  test.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas'])('%s of a bundler', (name) => {
    for (const value of [2n ** 41n, -1n, undefined]) {
      const answer = { ...limits, [name]: value }
      expect(() => gasLimitsOf(answer)).toThrow(expect.objectContaining({ code: 'BUNDLER_UNAVAILABLE' }))
    }
  })

  test('fees of a bundler', () => {
    const chain = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1n }
    const most = { maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 3n }
    expect(requireFees(most, chain)).toEqual(most)
    const dearer = { ...most, maxFeePerGas: 50_000_000_001n }
    expect(() => requireFees(dearer, chain)).toThrow(expect.objectContaining({ code: 'BUNDLER_UNAVAILABLE' }))
    const inverted = { maxFeePerGas: 1n, maxPriorityFeePerGas: 2n }
    expect(requireFees(inverted, chain)).toEqual({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })
    const cheap = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    expect(requireFees({ maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n }, cheap)).toBeDefined()
  })
})
