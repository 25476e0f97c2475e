import type { Devnet } from '@svc/devnet'
import type { Address } from 'viem'

/** Lets the wallet of a local world earn rewards in two tokens, and starts the service that gives the proofs of them. */
export async function startLocalRewards(
  devnet: Devnet,
  wallet: Address,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { startRewardsApi } = await import('@svc/devnet/rewards-api')
  await devnet.rewards.add([
    { user: wallet, token: 'USDC', amount: '125', pending: '4.2', reason: 'WETH/USDC v3 0.05 %', campaignId: 2n },
    { user: wallet, token: 'WETH', amount: '0.03', reason: 'ETH/USDC v4 0.05 %', campaignId: 3n },
  ])
  return await startRewardsApi({ devnet })
}
