import { SimpleMerkleTree } from '@openzeppelin/merkle-tree'
import { type Address, encodeAbiParameters, type Hex, keccak256, zeroHash } from 'viem'
import type { ChainClient } from '../chain/chain-client.ts'
import { rewardDistributor } from '../contracts.gen.ts'

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
