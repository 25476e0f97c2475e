import { expect, test } from 'vitest'
import { orderIdOf } from './read-order.ts'
import { keyOfId } from './create-twamm.ts'

const owner = '0x00000000000000000000000000000000000000aa'
const interval = 3_600
const now = 500_000 * interval + 17

test.each([
  ['thirty days ahead', 500_000 + 30 * 24, true],
  ['at the end before', 500_000, false],
  ['ninety days back', 500_000 - 90 * 24, true],
])('the key of an order that ends %s follows from its id', (_when, ends, zeroForOne) => {
  const key = { owner, expiration: BigInt(ends * interval), zeroForOne } as const
  expect(keyOfId(orderIdOf(key), owner, interval, now)).toEqual(key)
})

test("the id of another owner, or of an end that no interval has, is nobody's", () => {
  const key = { owner, expiration: BigInt(500_010 * interval), zeroForOne: true } as const
  expect(keyOfId(orderIdOf(key), '0x00000000000000000000000000000000000000bb', interval, now)).toBeNull()
  expect(keyOfId(orderIdOf({ ...key, expiration: key.expiration + 1n }), owner, interval, now)).toBeNull()
})

test('a hook of tiny intervals costs no more than a bounded number of hashes', () => {
  const far = { owner, expiration: BigInt(now + 3_001), zeroForOne: true } as const
  expect(keyOfId(orderIdOf(far), owner, 1, now)).toBeNull()
  expect(keyOfId(orderIdOf({ ...far, expiration: BigInt(now + 3_000) }), owner, 1, now)).not.toBeNull()
})
