import type { Chain } from '@svc/wallet/core'
import {
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiParameters,
  type Hex,
  parseAbi,
  type Address,
  isAddressEqual,
  concatHex,
  decodeFunctionData,
} from 'viem'
import type * as z from 'zod'
import {
  buildClaim,
  buildDecrease,
  buildDeposit,
  type BuiltCall,
  type CallTerms,
  type BuildingFor,
} from './build-call.ts'
import {
  claimBody,
  claimFeesBody,
  claimRewardsBody,
  createBody,
  lpCreateBody,
  lpDecreaseBody,
  lpIncreaseBody,
  decreaseBody,
  increaseBody,
  migrateBody,
  quoteBody,
  swapBody,
  type ClaimRewardsBody,
} from './requests.ts'
import { buildSwap, quoteSwap } from './build-swap.ts'
import { buildMigrate, addToPair, removeFromPair } from './build-pair.ts'
import { buildClaimFees, buildLpCreate, buildLpDecrease, buildLpIncrease } from './lp-operations.ts'
import { type OwnTricks, thief } from './trading-tricks.ts'
import { connect } from '../chain/chain-client.ts'
import { readEarnings, type RewardLeaf, rewardTree } from '../rewards/reward-tree.ts'

/** The routes of the trading API that the stand-in answers, those of its newer dialect without a version before them. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /lp/claim_fees': operation({
    member: 'claim',
    form: claimFeesBody,
    build: buildClaimFees,
    givesAway: positionToo,
  }),
  'POST /lp/decrease': operation({
    member: 'decrease',
    form: lpDecreaseBody,
    build: buildLpDecrease,
    givesAway: (data, { nftTokenId: tokenId }) => positionToo(data, { tokenId }),
  }),
  'POST /lp/increase': operation({
    member: 'increase',
    form: lpIncreaseBody,
    build: buildLpIncrease,
    givesAway: (data, { nftTokenId: tokenId }) => positionToo(data, { tokenId }),
  }),
  'POST /lp/create': operation({
    member: 'create',
    form: lpCreateBody,
    build: buildLpCreate,
    givesAway: allToo,
  }),
  'POST /v1/lp/claim': operation({
    member: 'claim',
    form: claimBody,
    build: ({ sdks, chain }, body, terms) => buildClaim(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/decrease': operation({
    member: 'decrease',
    form: decreaseBody,
    build: ({ sdks, chain }, body, terms) =>
      body.protocol === 'V2' ? removeFromPair(sdks, chain, body, terms) : buildDecrease(sdks, chain, body, terms),
    givesAway: (data, body) => (body.protocol === 'V2' ? allToo(data) : positionToo(data, body)),
  }),
  'POST /v1/lp/create': operation({
    member: 'create',
    form: createBody,
    build: ({ sdks, chain }, body, terms) =>
      body.protocol === 'V2' ? addToPair(sdks, chain, body, terms) : buildDeposit(sdks, chain, body, terms),
    givesAway: allToo,
  }),
  'POST /v1/lp/increase': operation({
    member: 'increase',
    form: increaseBody,
    build: ({ sdks, chain }, body, terms) => buildDeposit(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/quote': operation({
    member: 'quote',
    form: quoteBody,
    build: async ({ chain, rpcUrl }, body, { isStale }) => {
      const offered = await quoteSwap(chain, rpcUrl, body, isStale)
      return offered === null ? null : { offered }
    },
    givesAway: (data) => data,
  }),
  'POST /v1/swap': operation({
    member: 'swap',
    form: swapBody,
    build: ({ sdks, chain }, body, terms) => buildSwap(sdks, chain, body, terms),
    givesAway: allowanceToo,
    countsOnPermit: allowanceToo,
  }),
  'POST /v1/lp/migrate': operation({
    member: 'migrate',
    form: migrateBody,
    build: ({ sdks, chain }, body, terms) => buildMigrate(sdks, chain, body, terms),
    givesAway: (data, { tokenId }) => permitToo(data, tokenId, thief),
    countsOnPermit: allowanceToo,
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

/** A quote is no transaction yet. */
type Built = BuiltCall | { readonly offered: object }

type AskedCall = OwnTricks & {
  readonly body: Asked
  /** `null` where there is nothing of what is asked for. */
  readonly build: (world: BuildingFor, terms: CallTerms) => Promise<Built | null>
}

/** What every request says. */
type Asked = { readonly chainId: number; readonly walletAddress: string }

type Facts<Body extends Asked> = {
  readonly member: string
  readonly form: z.ZodType<Body>
  readonly build: (world: BuildingFor, body: Body, terms: CallTerms) => Built | null | Promise<Built | null>
  readonly givesAway: (data: Hex, body: Body) => Hex
  /** For another contract than a position manager. */
  readonly countsOnPermit?: (data: Hex) => Hex
}

function operation<Body extends Asked>(facts: Facts<Body>): Operation {
  const { member, form, build, givesAway, countsOnPermit = withPermit } = facts
  return {
    member,
    read: (content) => {
      const read = form.safeParse(content)
      if (!read.success) return { problem: read.error.issues[0]?.message ?? '' }
      return {
        body: read.data,
        build: async (world, terms) => build(world, read.data, terms),
        givesAway: (data) => givesAway(data, read.data),
        countsOnPermit,
      }
    },
  }
}

/** Beside what was asked for, the position itself is handed to somebody. Both position managers take such a list. */
function positionToo(data: Hex, { tokenId }: { readonly tokenId: number | string }): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'approve', args: [thief, BigInt(tokenId)] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

/** Beside the trade, the router uses a permit by which somebody else may take the wallet's dollars out of Permit2. */
function allowanceToo(data: Hex): Hex {
  const [commands, inputs, deadline] = decodeFunctionData({ abi: routerAbi, data }).args
  const details = { token: thief, amount: 2n ** 160n - 1n, expiration: 2 ** 48 - 1, nonce: 0 } as const
  const permit = encodeAbiParameters(permitParameters, [{ details, spender: thief, sigDeadline: deadline }, '0x'])
  const args = [concatHex([commands, '0x0a']), [...inputs, permit], deadline] as const
  return encodeFunctionData({ abi: routerAbi, functionName: 'execute', args })
}

const permitParameters = parseAbiParameters([
  'Permit permit, bytes signature',
  'struct Permit { Details details; address spender; uint256 sigDeadline; }',
  'struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
])

/** The same of every position that the wallet holds or will hold. */
function allToo(data: Hex): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'setApprovalForAll', args: [thief, true] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

/** Both position managers take such a list; whose function it is makes no difference to who must not sign for it. */
function withPermit(data: Hex): Hex {
  const word: Hex = `0x${'1'.repeat(64)}`
  const args = [thief, 1n, 2n ** 48n, 27, word, word] as const
  const permit = encodeFunctionData({ abi, functionName: 'selfPermit', args })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[permit, data]] })
}

const abi = parseAbi([
  'function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function setApprovalForAll(address operator, bool approved)',
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

/** Beside what was asked for, the router hands in a permit by which somebody else may use the position. */
function permitToo(data: Hex, tokenId: number, thief: Hex): Hex {
  const [commands, inputs, deadline] = decodeFunctionData({ abi: routerAbi, data }).args
  const permit = encodeFunctionData({
    abi: permitAbi,
    functionName: 'permit',
    args: [thief, BigInt(tokenId), deadline, 27, `0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`],
  })
  const args = [concatHex([commands, '0x11']), [...inputs, permit], deadline] as const
  return encodeFunctionData({ abi: routerAbi, functionName: 'execute', args })
}

const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])
const permitAbi = parseAbi([
  'function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
])
