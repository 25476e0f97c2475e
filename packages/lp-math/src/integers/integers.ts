/** Fixed-point units and integer widths of the pool contracts (v3-core FixedPoint96, FixedPoint128). */
export const Q96 = 1n << 96n
export const Q128 = 1n << 128n
export const Q192 = 1n << 192n
export const MAX_UINT128 = (1n << 128n) - 1n
export const MAX_UINT160 = (1n << 160n) - 1n
export const MAX_UINT256 = (1n << 256n) - 1n

/** Upper bound of the number of bits of a value of at least 0, exact to the hexadecimal digit (0 to 3 bits above the true length). */
export function bitLength(value: bigint): number {
  return value.toString(16).length * 4
}

/** The larger of two integers. */
export function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** The smaller of two integers. */
export function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** Ceiling of `numerator / denominator` for a numerator of at least 0 and a denominator above 0 (v3-core UnsafeMath). */
export function divRoundingUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return quotient * denominator === numerator ? quotient : quotient + 1n
}

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
