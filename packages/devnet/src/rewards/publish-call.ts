import { type Address, encodeFunctionData, parseUnits } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import { giveCalls } from '../chain/fund.ts'
import { rewardDistributor } from '../contracts.gen.ts'
import type { Layout } from '../seed/layout.ts'
import { type Earning, rewardTree } from './reward-tree.ts'

/** Puts the root over earlier and added earnings in force. */
export function publishCall(layout: Layout, earlier: readonly Earning[], added: readonly Earning[]): Call {
  const { root } = rewardTree([...earlier, ...added])
  return {
    from: layout.roles.deployer,
    to: layout.rewardDistributor,
    data: encodeFunctionData({ abi: rewardDistributor.abi, functionName: 'publish', args: [root, added] }),
    gas: 200_000n + 30_000n * BigInt(added.length),
    what: 'publish rewards',
  }
}

/** What the test accounts have earned when a chain begins, so that no account stands alone in the tree. */
export function earlierRewardCalls(layout: Layout, testAccounts: readonly Address[]): readonly Call[] {
  const token = layout.tokens.USDC
  const earnings = testAccounts.map((user, index): Earning => ({
    user,
    token,
    amount: parseUnits(`${index + 1}`, 6),
    pending: 0n,
    campaignId: 1n,
    reason: 'Trading',
  }))
  const sum = earnings.reduce((total, { amount }) => total + amount, 0n)
  return [...giveCalls(layout, layout.rewardDistributor, 'USDC', sum), publishCall(layout, [], earnings)]
}
