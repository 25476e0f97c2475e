import { expect, it, describe } from 'vitest'
import {
  expectedGasCost,
  gasLimitFor,
  worstGasCost,
  checkBalance,
  gasCostOf,
  checkGasCap,
  unpricedGasCapWei,
} from './gas.ts'
import { zeroAddress, numberToHex, type TransactionReceipt } from 'viem'
import type { Step } from '../call/step.ts'
import { parsePolicy } from '../policy/policy.ts'

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

describe('what a call leaves of native currency', () => {
  const gasHome = 600_000n
  /** Of all transactions, at their limits. */
  const worst = 127_500n
  const call = (valueWei: bigint): Step => ({ kind: 'call', label: 'a call', to: zeroAddress, data: '0x', valueWei })
  const native = { symbol: 'ETH', name: 'Ether', decimals: 18, listed: true, isNative: true, usdPegged: false }
  const ether = { usd: null, band: null, usdE18: null, doubt: null, pair: null }
  const priced = new Map([[zeroAddress, { ...ether, token: { ...native, address: zeroAddress } }]])
  const atPrice = (wei: bigint) => ({ maxFeePerGas: wei, maxPriorityFeePerGas: 0n, expectedPerGas: wei })
  const leaves = (asked: {
    valueWei: bigint
    isWayHome: boolean
    feePerGas: bigint
    balanceWei: bigint
    settledWei?: bigint
  }) => {
    const { valueWei, isWayHome, feePerGas, balanceWei, settledWei = null } = asked
    const simulation = {
      gasUsed: [40_000n, 20_000n],
      revokeGasUsed: [8_000n],
      inspected: { pools: [], positions: [], orders: [], vaultDeposits: [] },
    }
    const snapshotTaken = { fees: atPrice(feePerGas), ownFeePerGas: 1n, balanceWei }
    const funded = { steps: [call(valueWei)], simulation, snapshotTaken, priced, callBounds: [], settledWei }
    return checkBalance(funded, isWayHome)
  }

  it.each([
    ['that trades', { valueWei: 0n, isWayHome: false, feePerGas: 1n }, worst + gasHome],
    ['that sends some', { valueWei: 7n, isWayHome: false, feePerGas: 1n }, worst + 7n + gasHome],
    ['that only brings funds home', { valueWei: 0n, isWayHome: true, feePerGas: 1n }, 77_500n],
    ['that sends some to bring funds home', { valueWei: 7n, isWayHome: true, feePerGas: 1n }, worst + 7n + gasHome],
    ['that sends some and somebody else pays for', { valueWei: 7n, isWayHome: false, feePerGas: 0n }, 7n + gasHome],
  ])('of a call %s', (_which, asked, needed) => {
    expect(leaves({ ...asked, balanceWei: needed })).toEqual([])
    const short = leaves({ ...asked, balanceWei: needed - 1n })
    expect(short).toMatchObject([{ code: 'INSUFFICIENT_BALANCE' }])
  })

  it('is not what came with the newest blocks, where the call is carried out without them, too', () => {
    const asked = { valueWei: 7n, isWayHome: false, feePerGas: 1n, balanceWei: 10n ** 9n }
    const needed = worst + 7n + gasHome
    expect(leaves({ ...asked, settledWei: needed })).toEqual([])
    const [refusal] = leaves({ ...asked, settledWei: needed - 1n })
    expect(refusal?.code).toBe('INSUFFICIENT_BALANCE')
    expect(refusal?.message).toContain('The 0.000000000999272494 that came last count a few blocks later.')
    // What nobody could sign without it needs it anyway.
    expect(leaves({ ...asked, settledWei: 77_506n })).toEqual([])
    expect(leaves({ ...asked, settledWei: 77_507n })).toHaveLength(1)
    expect(leaves({ ...asked, isWayHome: true, valueWei: 0n, settledWei: 77_500n })).toEqual([])
  })

  it('is nothing of a call that sends none and that somebody else pays for', () => {
    expect(leaves({ valueWei: 0n, isWayHome: false, feePerGas: 0n, balanceWei: 0n })).toEqual([])
  })

  it('is told with why it is kept, and not where the gas of the call itself is more', () => {
    const [refusal] = leaves({ valueWei: 0n, isWayHome: false, feePerGas: 1n, balanceWei: 0n })
    expect(refusal?.message).toBe(
      'The wallet holds 0 ETH where the call with its gas needs 0.0000000000007275. Of that 0.0000000000006 is the gas of a removal, kept so that the owner can leave: only what brings funds home may use it.',
    )
    const [own] = leaves({ valueWei: 0n, isWayHome: true, feePerGas: 1n, balanceWei: 0n })
    expect(own?.message).toBe('The wallet holds 0 ETH where the call with its gas needs 0.0000000000000775.')
  })
})

/** As viem gives one: members that a chain adds are left as they came. */
function receiptOf(added: object): TransactionReceipt {
  const receipt: unknown = { gasUsed: 21_000n, effectiveGasPrice: 7n, ...added }
  return receipt as TransactionReceipt
}

const own = 21_000n * 7n

it.each([
  ['as hex, as the node writes it', { l1Fee: numberToHex(123_456n) }, 123_456n],
  ['as a number of a client that knows the chain', { l1Fee: 123_456n }, 123_456n],
  ['absent, on a chain without a parent', {}, 0n],
  ['null', { l1Fee: null }, 0n],
  ['in a form that is none', { l1Fee: '123456' }, 0n],
])('counts what a roll-up charges for its parent chain: %s', (_how, added, fee) => {
  expect(gasCostOf([receiptOf(added)])).toBe(own + fee)
  expect(gasCostOf([receiptOf(added), receiptOf({})])).toBe(2n * own + fee)
})

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
