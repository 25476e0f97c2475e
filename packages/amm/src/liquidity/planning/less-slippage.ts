/** The least of an expected amount (smallest units) that is still acceptable, rounded down. */
export function lessSlippage(amount: bigint, slippageBps: number): bigint {
  return (amount * BigInt(10_000 - slippageBps)) / 10_000n
}
