import { formatEther } from 'viem'

/** What one wallet gets on one chain: 0.01 of the native currency. */
export const grantWei = 10_000_000_000_000_000n

/** The same in whole units of the native currency. */
export const grantAmount = formatEther(grantWei)
