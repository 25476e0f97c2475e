import { tenToDecimals } from '../prices/ten-to-decimals.ts'

/**
 * Writes an amount in the token's smallest units as whole tokens: exact, without trailing zeros, a leading minus for a negative one.
 * @throws LpMathError `DECIMALS_OUT_OF_RANGE`.
 */
export function formatAmount(amount: bigint, decimals: number): string {
  const unit = tenToDecimals(decimals)
  const magnitude = amount < 0n ? -amount : amount
  const fraction = decimals === 0 ? '' : (magnitude % unit).toString().padStart(decimals, '0').replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${magnitude / unit}${fraction === '' ? '' : `.${fraction}`}`
}
