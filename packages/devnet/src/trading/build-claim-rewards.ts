import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex, isAddressEqual, parseAbi } from 'viem'
import { connect } from '../chain/chain-client.ts'
import { readEarnings, type RewardLeaf, rewardTree } from '../rewards/reward-tree.ts'
import type { BuiltCall, CallTerms } from './build-call.ts'
import type { ClaimRewardsBody } from './requests.ts'

/**
 * A claim of all that an account has earned of some tokens, with the proofs of the tree in force; a stale one with those of the
 * tree before it. `null` where nothing of it is left to pay.
 */
export async function buildClaimRewards(
  { rewardDistributor: to }: Chain,
  rpcUrl: string | null,
  { walletAddress, tokens }: ClaimRewardsBody,
  { recipient, isStale }: CallTerms,
): Promise<BuiltCall | null> {
  if (to === undefined || rpcUrl === null) throw new TypeError('the chain has no distributor that can be read')
  const client = connect(rpcUrl)
  const earnings = await readEarnings(client, to)
  const { leaves } = rewardTree(isStale ? earnings.slice(0, -1) : earnings)
  const asked = leaves.filter(
    ({ user, token }) =>
      isAddressEqual(user, walletAddress as Address) && tokens.some((one) => isAddressEqual(one as Address, token)),
  )
  const paid = await Promise.all(
    asked.map(({ user, token }) =>
      client.readContract({ address: to, abi: merklAbi, functionName: 'claimed', args: [user, token] }),
    ),
  )
  const due = asked.filter(({ amount }, index) => amount > (paid[index]?.[0] ?? 0n))
  return due.length === 0 ? null : { to, data: claimData(due, recipient as Address), value: '0x00' }
}

/** Lets somebody claim for an account, wherever that account is paid. */
export function operatorData(user: string, operator: string): Hex {
  return encodeFunctionData({
    abi: merklAbi,
    functionName: 'toggleOperator',
    args: [user as Address, operator as Address],
  })
}

function claimData(leaves: readonly RewardLeaf[], user: Address): Hex {
  return encodeFunctionData({
    abi: merklAbi,
    functionName: 'claim',
    args: [
      leaves.map(() => user),
      leaves.map(({ token }) => token),
      leaves.map(({ amount }) => amount),
      leaves.map(({ proof }) => proof),
    ],
  })
}

/** As Merkl publishes it. */
const merklAbi = parseAbi([
  'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
  'function claimed(address user, address token) view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot)',
  'function toggleOperator(address user, address operator)',
])
