import { inTurns } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import { type Address, type Hex, isAddressEqual, decodeFunctionData, parseEventLogs, type Log } from 'viem'
import type { ClaimableReward, Rewards, RpcPool, ClaimedReward, ClaimPlan } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import {
  holdsProof,
  readDistributor,
  type DistributorQuestion,
  type ProvenLeaf,
  type OfferedReward,
  readOfferedRewards,
  type RewardsService,
} from './read-rewards.ts'
import { rewardDistributorAbi } from '../abis/rewards.ts'
import { smaller } from '@svc/lp-math'
import { erc20Abi } from '../abis/tokens.ts'
import type { Intent } from '../intent.ts'
import type { TradingRoutePorts } from '../upstream/create-trading-client.ts'
import { builtNote, TradingError, tradingFailure, upstreamRefusal } from '../upstream/trading-wire.ts'

/**
 * Rewards that the distributors of chains pay, by the public proofs of a service with Merkl's API. The service is never believed: what
 * counts is in the tree whose root the distributor holds, less what the distributor says it paid, both read at one block.
 */
export function createRewards(options: RewardsOptions): Rewards {
  const { rpc, chains, url, fetch = globalThis.fetch, timeoutMs = 8_000, trading = null } = options
  const service: RewardsService = { url, fetch, timeoutMs }
  return Object.freeze({
    async claimable({ chain, wallet, signal }) {
      const distributor = chain.rewardDistributor
      if (distributor === undefined) throw noDistributor(chain, chains)
      const offered = await readOfferedRewards(service, { chainId: chain.id, wallet, signal })
      const tokens = [...new Set(offered.map(({ token }) => token))]
      const { root, blockNumber, claimed } = await readDistributor(rpc, { chain, distributor, wallet, tokens })
      const known = { root, wallet, claimed }
      return { distributor, root, blockNumber, rewards: await inTurns(weighed(known, tokens, offered)) }
    },
    async planClaim(request) {
      const { rewardDistributor: distributor } = request.chain
      if (distributor === undefined) throw noDistributor(request.chain, chains)
      return planClaim({ rpc, trading }, { ...request, distributor })
    },
    cannotClaim: trading === null ? 'key' : trading.client.claimsRewards ? null : 'dialect',
    claimedIn({ rewardDistributor: distributor }, wallet, { logs }) {
      if (distributor === undefined) return []
      return claimedIn(logs, distributor, wallet).map(({ token, amount }) => ({ token, amount, distributor }))
    },
  } satisfies Rewards)
}

export type RewardsOptions = {
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  /** Of this server, to name those that have a distributor. */
  readonly chains: readonly Chain[]
  /** Base of the service's API. */
  readonly url: string
  readonly fetch?: typeof fetch
  /** For one answer of the service. */
  readonly timeoutMs?: number
  /** Who builds claims; `null` and absent: nobody. */
  readonly trading?: ClaimPorts['trading']
}

type Known = {
  readonly root: Hex
  readonly wallet: Address
  readonly claimed: ReadonlyMap<Address | undefined, bigint>
}

/** One reward for each token: of several that are offered the largest that is proven, for amounts count from the beginning. */
function* weighed(
  known: Known,
  tokens: readonly Address[],
  offered: readonly OfferedReward[],
): Generator<void, ClaimableReward[]> {
  const rewards: ClaimableReward[] = []
  for (const token of tokens) {
    let best: ClaimableReward | null = null
    for (const offer of offered.filter((one) => one.token === token)) {
      const reward = weigh(known, offer)
      const isBetter = best === null || (reward.doubt === null && (best.doubt !== null || reward.earned > best.earned))
      if (isBetter) best = reward
      yield
    }
    if (best !== null) rewards.push(best)
  }
  return rewards
}

function weigh({ root, wallet, claimed }: Known, offer: OfferedReward): ClaimableReward {
  const { token, amount, proof, pending, sources } = offer
  const doubted = { token, claimable: 0n, earned: 0n, proof: [], sources }
  if (!isAddressEqual(offer.recipient, wallet)) return { ...doubted, pending: 0n, doubt: 'recipient' }
  // What is only pending is in no tree.
  if (amount === 0n) return { ...doubted, pending, doubt: null }
  if (!holdsProof(root, { user: wallet, token, amount, proof })) return { ...doubted, pending, doubt: 'proof' }
  const paid = claimed.get(token) ?? 0n
  return { token, claimable: amount > paid ? amount - paid : 0n, earned: amount, proof, pending, doubt: null, sources }
}

function noDistributor(chain: Chain, chains: readonly Chain[]): ToolError {
  const accepted = chains.filter(({ rewardDistributor }) => rewardDistributor !== undefined).map(({ name }) => name)
  const message = `No distributor of rewards is known on ${chain.name}.`
  return new ToolError('DISTRIBUTOR_NOT_DEPLOYED', message, { details: [{ field: 'chain', message, accepted }] })
}

/**
 * A claim that the trading API builds. The guard takes its transaction apart; every leaf it names must be the wallet's own and in the
 * tree whose root the distributor holds, and what arrives at least is what that says less what the distributor counts as paid.
 */
export async function planClaim(
  { rpc, trading }: ClaimPorts,
  { chain, distributor, wallet, tokens: asked }: DistributorQuestion,
): Promise<ClaimPlan> {
  if (trading === null) {
    throw new ToolError('API_KEY_NOT_CONFIGURED', 'Rewards are claimed by the trading API, for which there is no key.')
  }
  const tokens = [...new Set(asked)]
  const transaction = await trading.client
    .claimRewards({ walletAddress: wallet, chainId: chain.id, tokens, distributor: 'MERKL' })
    .catch((error: unknown) => {
      if (error instanceof TradingError && error.kind === 'none') throw noRewards()
      throw tradingFailure(error, trading.client.claimsRewards ? checkTokens : olderDialect)
    })
  const intent = trading.guard(transaction, {
    chain,
    wallet,
    kind: 'claim-rewards',
    spends: [],
    receives: tokens.map((token) => ({ token, amount: 0n })),
    position: null,
    pool: null,
    latestDeadline: 0,
    slippageBps: null,
    riskTier: 'routine',
    label: 'claim rewards',
    why: `Claim rewards in ${tokens.length} ${tokens.length === 1 ? 'token' : 'tokens'} to the wallet.`,
  })
  const leaves = leavesOf(intent)
  const state = await readDistributor(rpc, { chain, distributor, wallet, tokens: leaves.map(({ token }) => token) })
  requireProven(leaves, state.root)
  const rewards = leaves.flatMap(({ token, amount }): readonly ClaimedReward[] => {
    const left = amount - (state.claimed.get(token) ?? 0n)
    return left > 0n ? [{ token, amount: left }] : []
  })
  if (rewards.length === 0) throw noRewards()
  return {
    distributor,
    intent: { ...intent, receives: rewards },
    preview: rewards,
    notes: [builtNote],
    decode: async ({ main }) => claimedIn(main.logs, distributor, wallet),
  }
}

export type ClaimPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  /** `null` where there is no key for it. */
  readonly trading: TradingRoutePorts | null
}

const checkTokens = 'Call get_claimable_rewards for what is owed and to check the tokens.'
const olderDialect =
  'Calling again changes nothing: the operator must set SVC_TRADING_API_DIALECT to v1 (in a local world svc up --trading-dialect v1), whose key and address are its own. get_claimable_rewards shows what waits meanwhile.'

/** The guard has read the call as the one that claims, to the byte. */
function leavesOf({ calls }: Intent): readonly ProvenLeaf[] {
  const { functionName, args } = decodeFunctionData({ abi: rewardDistributorAbi, data: calls[0]?.data ?? '0x' })
  if (functionName !== 'claim') throw new TypeError('the guard lets claims pass alone')
  const [users, tokens, amounts, proofs] = args
  const isEven = [tokens, amounts, proofs].every(({ length }) => length === users.length)
  if (!isEven || users.length === 0) throw upstreamRefusal('it claims nothing, or its lists differ in length')
  return users.map((user, index) => ({
    user,
    token: tokens[index] ?? user,
    amount: amounts[index] ?? 0n,
    proof: proofs[index] ?? [],
  }))
}

function requireProven(leaves: readonly ProvenLeaf[], root: Parameters<typeof holdsProof>[0]): void {
  if (new Set(leaves.map(({ token }) => token)).size < leaves.length) {
    throw upstreamRefusal('it claims a token more than once')
  }
  const doubted = leaves.find((leaf) => !holdsProof(root, leaf))
  if (doubted === undefined) return
  throw upstreamRefusal('its proof does not hold under the root in force', { token: doubted.token })
}

/** What the distributor says in logs that it paid a wallet, no more of a token than its own logs say that arrived. */
export function claimedIn(logs: readonly Log[], distributor: Address, wallet: Address): readonly ClaimedReward[] {
  const events = parseEventLogs({ abi: rewardDistributorAbi, logs: [...logs], eventName: 'Claimed' })
  const transfers = parseEventLogs({ abi: erc20Abi, logs: [...logs], eventName: 'Transfer' })
  const arrived = new Map<string, bigint>()
  for (const { address, args } of transfers) {
    const key = address.toLowerCase()
    if (isAddressEqual(args.to, wallet)) arrived.set(key, (arrived.get(key) ?? 0n) + args.value)
  }
  return events
    .filter(({ address, args }) => isAddressEqual(address, distributor) && isAddressEqual(args.user, wallet))
    .map(({ args: { token, amount: said } }) => {
      const rest = arrived.get(token.toLowerCase()) ?? 0n
      const amount = smaller(said, rest)
      arrived.set(token.toLowerCase(), rest - amount)
      return { token, amount }
    })
}

function noRewards(): ToolError {
  return new ToolError('NO_REWARDS_AVAILABLE', 'Nothing can be claimed in these tokens now.')
}
