import { createMutex } from '@svc/wallet/core'
import {
  type Address,
  encodeFunctionData,
  formatUnits,
  parseUnits,
  encodeAbiParameters,
  type Hex,
  keccak256,
  zeroHash,
} from 'viem'
import type { Call } from '../chain/block-writer.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { type Amounts, fund, giveCalls } from '../chain/fund.ts'
import { rewardDistributor } from '../contracts.gen.ts'
import type { Layout } from '../seed/layout.ts'
import { decimalsOf } from '../seed/market.ts'
import type { TokenSymbol } from '../seed/token-specs.ts'
import { SimpleMerkleTree } from '@openzeppelin/merkle-tree'

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

/** The tree over what each account has earned of each token in all, with leaves and proofs as Merkl's distributor takes them. */
export function rewardTree(earnings: readonly Earning[]): RewardTree {
  const totals = new Map<string, Omit<RewardLeaf, 'proof'>>()
  for (const { user, token, amount } of earnings) {
    const key = `${user}${token}`.toLowerCase()
    totals.set(key, { user, token, amount: (totals.get(key)?.amount ?? 0n) + amount })
  }
  // What is only pending is in no tree yet.
  const earned = [...totals.values()].filter(({ amount }) => amount > 0n)
  if (earned.length === 0) return { root: zeroHash, leaves: [] }
  const tree = SimpleMerkleTree.of(earned.map(leafHash))
  const leaves = earned.map(({ user, token, amount }, index) => {
    const proof = tree.getProof(index) as Hex[]
    return { user, token, amount, proof }
  })
  return { root: tree.root as Hex, leaves }
}

export type RewardTree = { readonly root: Hex; readonly leaves: readonly RewardLeaf[] }

export type RewardLeaf = {
  readonly user: Address
  readonly token: Address
  /** Smallest units, from the beginning. */
  readonly amount: bigint
  readonly proof: readonly Hex[]
}

/** What one campaign brought an account, as one event of the distributor says it. Amounts in smallest units. */
export type Earning = {
  readonly user: Address
  readonly token: Address
  /** Beside what was earned before. */
  readonly amount: bigint
  /** Earned, and in no tree yet; in place of what was pending before. */
  readonly pending: bigint
  readonly campaignId: bigint
  readonly reason: string
}

/** Everything that was ever earned, in the order of the chain. */
export async function readEarnings(client: ChainClient, distributor: Address): Promise<readonly Earning[]> {
  const logs = await client.getContractEvents({
    address: distributor,
    abi: rewardDistributor.abi,
    eventName: 'Earned',
    fromBlock: 0n,
    strict: true,
  })
  return logs.map(({ args }) => args)
}

function leafHash({ user, token, amount }: Omit<RewardLeaf, 'proof'>): Hex {
  const parameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }] as const
  return keccak256(encodeAbiParameters(parameters, [user, token, amount]))
}
