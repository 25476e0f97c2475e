import { type Address, parseUnits } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import { giveCalls } from '../chain/funding-calls.ts'
import type { Layout } from '../seed/layout.ts'
import { publishCall } from './publish-call.ts'
import type { Earning } from './reward-tree.ts'

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
