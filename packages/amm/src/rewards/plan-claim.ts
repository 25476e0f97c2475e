import { type Address, decodeFunctionData, parseEventLogs, isAddressEqual, type Log } from 'viem'
import { smaller } from '@svc/lp-math'
import { erc20Abi } from '../abis/tokens.ts'
import type { Intent } from '../intent.ts'
import type { ClaimedReward, ClaimPlan, RpcPool } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import type { TradingRoutePorts } from '../upstream/create-trading-client.ts'
import { builtNote, TradingError, tradingFailure, upstreamRefusal } from '../upstream/trading-error.ts'
import {
  type DistributorQuestion,
  holdsProof,
  type ProvenLeaf,
  readDistributor,
  rewardDistributorAbi,
} from './read-distributor.ts'

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
