import { formatAmount } from '@svc/lp-math'
import { shortAmount } from '@svc/amm'
import { groupDigits } from './operation-text.ts'
import type { DescribedAmount, OperationDescription } from './describe-operation.ts'

/**
 * The price a trade comes to at worst, of the token that is worth more: "at least 2,984.92 USDC per WETH". `null` for what is no
 * trade of one token for another.
 */
export function tradePriceText({ leavesAtMost, arrivesAtLeast, deposits }: Trade): string | null {
  const [paid, ...othersPaid] = leavesAtMost
  const [got, ...othersGot] = arrivesAtLeast
  if (paid === undefined || got === undefined || othersPaid.length + othersGot.length + deposits.length > 0) return null
  const [atLeast, atMost] = [priceOf(got, paid, 'down'), priceOf(paid, got, 'up')]
  if (atLeast === null || atMost === null) return null
  return atLeast >= one
    ? `at least ${shown(atLeast, 'down')} ${got.symbol} per ${paid.symbol}`
    : `at most ${shown(atMost, 'up')} ${paid.symbol} per ${got.symbol}`
}

type Trade = Pick<OperationDescription, 'leavesAtMost' | 'arrivesAtLeast' | 'deposits'>

const places = 36
const one = 10n ** BigInt(places)

/** Whole `quote` per whole `base`, in parts of `one`; `null` where it is not known. */
function priceOf(quote: DescribedAmount, base: DescribedAmount, rounding: 'up' | 'down'): bigint | null {
  const [quoteRaw, baseRaw] = [rawOf(quote), rawOf(base)]
  if (quoteRaw === null || baseRaw === null || baseRaw === 0n || quoteRaw === 0n) return null
  const below = baseRaw * 10n ** BigInt(quote.decimals ?? 0)
  return (quoteRaw * one * 10n ** BigInt(base.decimals ?? 0) + (rounding === 'up' ? below - 1n : 0n)) / below
}

function rawOf({ raw, decimals }: DescribedAmount): bigint | null {
  return raw !== null && decimals !== null && /^\d+$/.test(raw) ? BigInt(raw) : null
}

function shown(price: bigint, rounding: 'up' | 'down'): string {
  return groupDigits(shortAmount(formatAmount(price, places), rounding))
}
