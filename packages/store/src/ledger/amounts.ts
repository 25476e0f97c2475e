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
