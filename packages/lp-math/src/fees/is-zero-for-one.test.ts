import { expect, test } from 'vitest'
import { isZeroForOne } from './fees.ts'

const before = 2n ** 96n

test('the price tells the direction, through a stretch without liquidity too', () => {
  const to = (sqrtPriceX96After: bigint, amount0: bigint, amount1: bigint) =>
    isZeroForOne({ amount0, amount1, sqrtPriceX96After }, before)
  expect(to(before - 1n, 7n, -6n)).toBe(true)
  expect(to(before + 1n, -6n, 7n)).toBe(false)
  expect(to(before - 1n, 0n, 0n)).toBe(true)
  expect(to(before + 1n, 0n, 0n)).toBe(false)
})

test('where the price stood still, the token that came in', () => {
  expect(isZeroForOne({ amount0: 1n, amount1: 0n, sqrtPriceX96After: before }, before)).toBe(true)
  expect(isZeroForOne({ amount0: 0n, amount1: 1n, sqrtPriceX96After: before }, before)).toBe(false)
})

test.each([
  ['against the price', before - 1n, -6n, 7n],
  ['with two tokens in', before + 1n, 1n, 7n],
  ['with two tokens out', before + 1n, -1n, -7n],
  ['with nothing in and the price where it was', before, 0n, 0n],
])('a log %s is refused', (_, sqrtPriceX96After, amount0, amount1) => {
  expect(() => isZeroForOne({ amount0, amount1, sqrtPriceX96After }, before)).toThrow(
    expect.objectContaining({ code: 'SWAP_LOGS_INCONSISTENT' }),
  )
})
