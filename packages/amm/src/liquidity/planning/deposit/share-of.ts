/** The part of `amount` that `percentage` (0 to 100, at most six decimals) stands for, rounded down; 100 is all of it. */
export function shareOf(amount: bigint, percentage: number): bigint {
  return (amount * BigInt(Math.round(percentage * 1_000_000))) / 100_000_000n
}
