import { numberToHex, type TransactionReceipt } from 'viem'
import { expect, it } from 'vitest'
import { gasCostOf } from './gas-cap.ts'

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
