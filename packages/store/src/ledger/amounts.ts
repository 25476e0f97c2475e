import { StoreError } from '../store-error.ts'

/** Smallest units by lower-case token address, native currency under the zero address. None is negative. */
export type TokenAmounts = ReadonlyMap<string, bigint>

export const nativeCurrency = '0x0000000000000000000000000000000000000000'

/** As a row holds them. Throws `AMOUNT_INVALID`. */
export function amountsText(amounts: TokenAmounts): string {
  const written = [...amounts].map(([token, amount]) => {
    if (amount < 0n) throw new StoreError('AMOUNT_INVALID', `An amount of ${token} is negative.`)
    return [token, `${amount}`] as const
  })
  return JSON.stringify(Object.fromEntries(written))
}

export function readAmounts(text: string): TokenAmounts {
  const written = JSON.parse(text) as Readonly<Record<string, string>>
  return new Map(Object.entries(written).map(([token, amount]) => [token, BigInt(amount)]))
}

/** Throws `AMOUNT_INVALID` for what is negative or above a trillion dollars. */
export function requireAmount(amountUsdMicros: bigint): void {
  if (amountUsdMicros >= 0n && amountUsdMicros <= largestAmountUsdMicros) return
  throw new StoreError('AMOUNT_INVALID', 'An amount is between 0 and 1e12 US dollars.')
}

/** The most one amount or one gas cost may be: a trillion dollars, far above any cap, and sums of many stay within 64 bits. */
export const largestAmountUsdMicros = 10n ** 18n
