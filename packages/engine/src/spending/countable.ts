import { largestAmountUsdMicros } from '@svc/store'

/**
 * What the ledger is notified of a sum in millionths of a dollar: never less than `leastUsdMicros`, and of more than it takes
 * the most that it takes. Events and receipts are what a stranger wrote, so an absurd sum must count, not fail for ever.
 */
export function countable(usdMicros: bigint, leastUsdMicros = 0n): bigint {
  const atLeast = usdMicros > leastUsdMicros ? usdMicros : leastUsdMicros
  return atLeast > largestAmountUsdMicros ? largestAmountUsdMicros : atLeast
}
