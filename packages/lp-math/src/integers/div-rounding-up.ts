/** Ceiling of `numerator / denominator` for a numerator of at least 0 and a denominator above 0 (v3-core UnsafeMath). */
export function divRoundingUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return quotient * denominator === numerator ? quotient : quotient + 1n
}
