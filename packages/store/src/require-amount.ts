import { StoreError } from './store-error.ts'

/** Throws `AMOUNT_INVALID` for what is negative or above a trillion dollars. */
export function requireAmount(amountUsdMicros: bigint): void {
  if (amountUsdMicros >= 0n && amountUsdMicros <= largestAmountUsdMicros) return
  throw new StoreError('AMOUNT_INVALID', 'An amount is between 0 and 1e12 US dollars.')
}

/** The most one amount or one gas cost may be: a trillion dollars, far above any cap, and sums of many stay within 64 bits. */
export const largestAmountUsdMicros = 10n ** 18n
