/** What one wallet gets on one chain: 0.01 of the native currency. */
export const grantWei = 10_000_000_000_000_000n
