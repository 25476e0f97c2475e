import { createMutex } from '@svc/wallet/core'
import { type Address, encodeFunctionData, formatUnits, parseUnits } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { type Amounts, fund, giveCalls } from '../chain/fund.ts'
import { rewardDistributor } from '../contracts.gen.ts'
import type { Layout } from '../seed/layout.ts'
import { type Earning, readEarnings, rewardTree } from './reward-tree.ts'
import { decimalsOf } from '../seed/market.ts'
import type { TokenSymbol } from '../seed/token-specs.ts'

/** Lets accounts earn rewards on a running chain. */
export function createRewards(chain: RewardedChain): DevnetRewards {
  const { client, layout, send } = chain
  const inTurn = createMutex()
  async function add(grants: readonly RewardGrant[]): Promise<void> {
    const added = grants.map((grant) => earningOf(layout, grant))
    await fund(chain, layout.rewardDistributor, payable(grants))
    await send(publishCall(layout, await readEarnings(client, layout.rewardDistributor), added))
  }
  return { distributor: layout.rewardDistributor, add: async (grants) => await inTurn(async () => await add(grants)) }
}

export type DevnetRewards = {
  /** Where rewards are claimed, with the ABI of Merkl's distributor. */
  readonly distributor: Address
  /** Funds the distributor and puts the root in force by which they can be claimed. */
  add(grants: readonly RewardGrant[]): Promise<void>
}

/** Amounts are decimal strings in whole tokens. */
export type RewardGrant = {
  readonly user: Address
  readonly token: TokenSymbol
  /** Beside what was earned before. */
  readonly amount: string
  /** Earned, and in no tree yet: it cannot be claimed; 0 when absent. */
  readonly pending?: string
  /** What it was earned with, in words. */
  readonly reason: string
  readonly campaignId: bigint
}

type RewardedChain = {
  readonly client: ChainClient
  readonly layout: Layout
  readonly send: (call: Call) => Promise<void>
}

function earningOf(layout: Layout, { user, token, amount, pending = '0', reason, campaignId }: RewardGrant): Earning {
  const units = (text: string) => parseUnits(text, decimalsOf(token))
  return { user, token: layout.tokens[token], amount: units(amount), pending: units(pending), campaignId, reason }
}

function payable(grants: readonly RewardGrant[]): Amounts {
  const sums = new Map<TokenSymbol, bigint>()
  for (const { token, amount } of grants) {
    sums.set(token, (sums.get(token) ?? 0n) + parseUnits(amount, decimalsOf(token)))
  }
  return Object.fromEntries([...sums].map(([token, sum]) => [token, formatUnits(sum, decimalsOf(token))]))
}

/** Puts the root over earlier and added earnings in force. */
function publishCall(layout: Layout, earlier: readonly Earning[], added: readonly Earning[]): Call {
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
