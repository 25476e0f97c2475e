import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, type Hex, parseAbi, type Address, isAddressEqual } from 'viem'
import type * as z from 'zod'
import { buildClaim, buildDecrease, type BuiltCall, type CallTerms } from './build-call.ts'
import { buildMigrate, permitToo } from './build-migrate.ts'
import { claimBody, claimRewardsBody, decreaseBody, migrateBody, type ClaimRewardsBody } from './requests.ts'
import type { Sdks } from './sdks.ts'
import { thief } from './trading-tricks.ts'
import { connect } from '../chain/chain-client.ts'
import { readEarnings, type RewardLeaf, rewardTree } from '../rewards/reward-tree.ts'

/** The routes of the trading API that the stand-in answers. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /v1/lp/claim': operation({
    member: 'claim',
    form: claimBody,
    build: ({ sdks, chain }, body, terms) => buildClaim(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/decrease': operation({
    member: 'decrease',
    form: decreaseBody,
    build: ({ sdks, chain }, body, terms) => buildDecrease(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/migrate': operation({
    member: 'migrate',
    form: migrateBody,
    build: ({ sdks, chain }, body, terms) => buildMigrate(sdks, chain, body, terms),
    givesAway: (data, { tokenId }) => permitToo(data, tokenId, thief),
  }),
  'POST /v1/lp/claim_rewards': operation({
    member: 'claim',
    form: claimRewardsBody,
    build: ({ chain, rpcUrl }, body, terms) => buildClaimRewards(chain, rpcUrl, body, terms),
    givesAway: (_data, { walletAddress }) => operatorData(walletAddress, thief),
  }),
}

export type Operation = {
  /** Of the answer: holds the transaction. */
  readonly member: string
  readonly read: (content: unknown) => AskedCall | { readonly problem: string }
}

/** What transactions are built with. */
export type BuildingFor = {
  readonly sdks: Sdks
  readonly chain: Chain
  /** Of the chain; `null` where it is not read. */
  readonly rpcUrl: string | null
}

type AskedCall = {
  readonly body: Asked
  /** `null` where there is nothing of what is asked for. */
  readonly build: (world: BuildingFor, terms: CallTerms) => Promise<BuiltCall | null>
  /** The calldata, and beside it or in its place a right for the thief. */
  readonly givesAway: (data: Hex) => Hex
}

/** What every request says. */
type Asked = { readonly chainId: number; readonly walletAddress: string }

type Facts<Body extends Asked> = {
  readonly member: string
  readonly form: z.ZodType<Body>
  readonly build: (world: BuildingFor, body: Body, terms: CallTerms) => BuiltCall | null | Promise<BuiltCall | null>
  readonly givesAway: (data: Hex, body: Body) => Hex
}

function operation<Body extends Asked>({ member, form, build, givesAway }: Facts<Body>): Operation {
  return {
    member,
    read: (content) => {
      const read = form.safeParse(content)
      if (!read.success) return { problem: read.error.issues[0]?.message ?? '' }
      return {
        body: read.data,
        build: async (world, terms) => build(world, read.data, terms),
        givesAway: (data) => givesAway(data, read.data),
      }
    },
  }
}

/** Beside what was asked for, the position itself is handed to somebody. Both position managers take such a list. */
function positionToo(data: Hex, { tokenId }: { readonly tokenId: number }): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'approve', args: [thief, BigInt(tokenId)] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

const abi = parseAbi([
  'function approve(address to, uint256 tokenId)',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
])

/**
 * A claim of all that an account has earned of some tokens, with the proofs of the tree in force; a stale one with those of the
 * tree before it. `null` where nothing of it is left to pay.
 */
async function buildClaimRewards(
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
function operatorData(user: string, operator: string): Hex {
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
