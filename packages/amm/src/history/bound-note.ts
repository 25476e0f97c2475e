/** What is said beside fees where trades passed prices with next to no liquidity (`boundByInput` of `feeGrowthFromSwaps`). */
export function boundNote(swaps: number): string {
  return `${swaps === 1 ? 'One swap' : `${swaps} swaps`} passed prices with next to no liquidity: fees count there by what was paid in, not by the way of the price, and may be too low.`
}
