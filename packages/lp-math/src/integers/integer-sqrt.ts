import { bitLength } from './bit-length.ts'

/** Floor of the square root of a value of at least 0, exact for any size (Newton's iteration from a double estimate). */
export function integerSqrt(value: bigint): bigint {
  if (value < 2n) return value
  const excess = Math.max(0, bitLength(value) - 104)
  const half = BigInt(Math.ceil(excess / 2))
  // The estimate is never below the root: Newton's iteration then falls to the floor and stops.
  let root = (BigInt(Math.floor(Math.sqrt(Number(value >> (2n * half))))) + 2n) << half
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
