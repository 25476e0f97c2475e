import { bitLength } from './bit-length.ts'

/**
 * The double nearest to `numerator / denominator`, both above 0, whatever their size.
 * Correct to the last bit: the quotient keeps at least 60 bits and a sticky bit before the one rounding.
 * The quotient must lie within 1e-300 and 1e300.
 */
export function rationalToNumber(numerator: bigint, denominator: bigint): number {
  const shift = 68 - (bitLength(numerator) - bitLength(denominator))
  const scaledNumerator = shift > 0 ? numerator << BigInt(shift) : numerator
  const scaledDenominator = shift < 0 ? denominator << BigInt(-shift) : denominator
  const quotient = scaledNumerator / scaledDenominator
  const sticky = quotient * scaledDenominator === scaledNumerator ? 0n : 1n
  // Two factors, because 2 ** -shift alone may be too small for a double where the product is not.
  const half = Math.trunc(shift / 2)
  return Number((quotient << 1n) | sticky) * 2 ** -(half + 1) * 2 ** -(shift - half)
}
