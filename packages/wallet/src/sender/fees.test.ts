import { expect, test } from 'vitest'
import { raisedFees } from './fees.ts'

const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas })
const nothing = fees(0n, 0n)
const dear = 10n ** 30n

test.each([
  ['an exact eighth', fees(800n, 8n), fees(900n, 9n)],
  ['rounded up', fees(801n, 9n), fees(902n, 11n)],
  ['where an eighth is less than one wei', fees(1n, 0n), fees(2n, 1n)],
])('both members rise by an eighth: %s', (_name, before, raised) => {
  expect(raisedFees([before], nothing, dear)).toEqual(raised)
})

test('never less than an eighth, whatever the fees', () => {
  for (let fee = 1n; fee < 10n ** 20n; fee = fee * 3n + 1n) {
    const raised = raisedFees([fees(fee, fee / 7n)], nothing, dear)!
    expect(raised.maxFeePerGas * 1000n).toBeGreaterThanOrEqual(fee * 1125n)
    expect(raised.maxPriorityFeePerGas * 1000n).toBeGreaterThanOrEqual((fee / 7n) * 1125n)
    expect(raised.maxPriorityFeePerGas).toBeLessThanOrEqual(raised.maxFeePerGas)
  }
})

test('above the highest of all attempts, each member by itself', () => {
  expect(raisedFees([fees(800n, 80n), fees(400n, 160n)], nothing, dear)).toEqual(fees(900n, 180n))
})

test('at least what the chain asks', () => {
  expect(raisedFees([fees(800n, 8n)], fees(5000n, 100n), dear)).toEqual(fees(5000n, 100n))
  expect(raisedFees([], fees(5000n, 100n), dear)).toEqual(fees(5000n, 100n))
})

test('what the chain asks gives way to the cap, the eighth does not', () => {
  expect(raisedFees([fees(800n, 8n)], fees(5000n, 1000n), 950n)).toEqual(fees(950n, 950n))
  expect(raisedFees([fees(800n, 8n)], fees(5000n, 9n), 900n)).toEqual(fees(900n, 9n))
  expect(raisedFees([fees(800n, 8n)], nothing, 899n)).toBeNull()
  expect(raisedFees([], fees(5000n, 100n), 0n)).toBeNull()
})
