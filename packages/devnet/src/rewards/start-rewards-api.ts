import type { ServerResponse } from 'node:http'
import { type Address, type Hex, isAddress, isAddressEqual } from 'viem'
import { type ChainClient, connect } from '../chain/chain-client.ts'
import { rewardDistributor } from '../contracts.gen.ts'
import type { Devnet } from '../devnet.ts'
import {
  createFaultRules,
  type StandInFault,
  type AnswerFault,
  answerJson,
  misbehave,
  startStandInServer,
} from '../services/stand-in-server.ts'
import { type Earning, readEarnings, type RewardLeaf, rewardTree } from './reward-tree.ts'

/**
 * Merkl's API (version 4) on 127.0.0.1, as far as rewards and their proofs are read from it: `GET /v4/users/{address}/rewards`
 * with `chainId`. The tree is made of what the distributor has logged, so that it follows a chain that is set back. Faults are
 * set while it runs.
 */
export async function startRewardsApi(options: RewardsApiOptions): Promise<RewardsApi> {
  const client = connect(options.devnet.rpcUrl)
  const faults = createFaultRules<RewardsApiFault>()
  const asked: string[] = []
  const { url, stop } = await startStandInServer(
    (request, response) => void answer(request.method, request.url ?? '', response),
  )
  return {
    url,
    asked: () => [...asked],
    setFaults: (rules) => faults.set(rules),
    stop,
  }

  async function answer(method: string | undefined, path: string, response: ServerResponse): Promise<void> {
    asked.push(path)
    const fault = faults.choose('rewards')
    if (fault !== null && fault.kind !== 'change') return misbehave(fault, response, { message: 'A fault' })
    const { pathname, searchParams } = new URL(path, 'http://127.0.0.1')
    const user = /^\/v4\/users\/([^/]+)\/rewards$/.exec(pathname)?.[1]
    if (method !== 'GET' || user === undefined) return answerJson(response, 404, { message: 'Not found' })
    const chainIds = (searchParams.get('chainId') ?? '').split(',').filter((id) => /^\d+$/.test(id))
    if (!isAddress(user, { strict: false }) || chainIds.length === 0)
      return answerJson(response, 400, { message: 'Invalid' })
    try {
      const own = chainIds.includes(`${options.devnet.chainId}`) ? await rewardsOf(client, options.devnet, user) : []
      const rewards = fault === null ? own : own.map(fault.rewardOf)
      answerJson(response, 200, rewards.length === 0 ? [] : [{ chain: chainOf(options.devnet), rewards }])
    } catch {
      answerJson(response, 500, { message: 'The chain does not answer' })
    }
  }
}

export type RewardsApiOptions = {
  readonly devnet: Pick<Devnet, 'rpcUrl' | 'chainId' | 'tokens' | 'rewards' | 'market'>
}

export type RewardsApi = {
  readonly url: string
  /** The path of every request, in order. */
  asked(): readonly string[]
  setFaults(rules: readonly StandInFault<RewardsApiFault>[]): void
  stop(): Promise<void>
}

export type RewardsApiFault =
  | AnswerFault
  /** Another reward in place of each true one: with wrong proofs, a foreign recipient, a larger amount. */
  | { readonly kind: 'change'; readonly rewardOf: (reward: MerklReward) => object }

/** One reward as Merkl's API has it; amounts are smallest units as text. */
export type MerklReward = {
  readonly root: Hex
  readonly distributionChainId: number
  readonly recipient: Address
  readonly amount: string
  readonly claimed: string
  readonly pending: string
  readonly proofs: readonly Hex[]
  readonly token: {
    readonly address: Address
    readonly chainId: number
    readonly symbol: string
    readonly decimals: number
    readonly price: number
  }
  readonly breakdowns: readonly {
    readonly reason: string
    readonly amount: string
    readonly claimed: string
    readonly pending: string
    readonly campaignId: Hex
  }[]
}

async function rewardsOf(
  client: ChainClient,
  { rewards: { distributor }, tokens, chainId, market }: RewardsApiOptions['devnet'],
  user: Address,
): Promise<readonly MerklReward[]> {
  const earnings = await readEarnings(client, distributor)
  const { root, leaves } = rewardTree(earnings)
  const own = earnings.filter((earned) => isAddressEqual(earned.user, user))
  const prices = market.prices()
  const rewardOf = async (token: Address): Promise<MerklReward[]> => {
    const row = tokens.find(({ address }) => isAddressEqual(address, token))
    if (row === undefined) return []
    const ofToken = own.filter((earned) => isAddressEqual(earned.token, token))
    const leaf = leaves.find((one) => isAddressEqual(one.user, user) && isAddressEqual(one.token, token))
    const claimed = await claimedOf(client, distributor, user, token)
    const breakdowns = breakdownsOf(ofToken, claimed)
    const { symbol, decimals } = row
    return [
      {
        root,
        distributionChainId: chainId,
        recipient: ofToken[0]?.user ?? user,
        ...amountsOf(leaf, claimed),
        pending: `${breakdowns.reduce((sum, { pending }) => sum + BigInt(pending), 0n)}`,
        token: { address: token, chainId, symbol, decimals, price: prices[symbol] },
        breakdowns,
      },
    ]
  }
  const rewarded = [...new Set(own.map(({ token }) => token))]
  return (await Promise.all(rewarded.map(rewardOf))).flat()
}

function amountsOf(leaf: RewardLeaf | undefined, claimed: bigint): Pick<MerklReward, 'amount' | 'claimed' | 'proofs'> {
  return { amount: `${leaf?.amount ?? 0n}`, claimed: `${claimed}`, proofs: leaf?.proof ?? [] }
}

/** By campaign; what was claimed is taken from the oldest first. */
function breakdownsOf(earnings: readonly Earning[], claimed: bigint): MerklReward['breakdowns'] {
  const campaigns = new Map<bigint, Earning>()
  for (const earned of earnings) {
    const { amount = 0n } = campaigns.get(earned.campaignId) ?? {}
    campaigns.set(earned.campaignId, { ...earned, amount: amount + earned.amount })
  }
  let left = claimed
  return [...campaigns.values()].map(({ reason, amount, pending, campaignId }) => {
    const taken = left < amount ? left : amount
    left -= taken
    const id: Hex = `0x${campaignId.toString(16).padStart(64, '0')}`
    return { reason, amount: `${amount}`, claimed: `${taken}`, pending: `${pending}`, campaignId: id }
  })
}

async function claimedOf(client: ChainClient, distributor: Address, user: Address, token: Address): Promise<bigint> {
  const [amount] = await client.readContract({
    address: distributor,
    abi: rewardDistributor.abi,
    functionName: 'claimed',
    args: [user, token],
  })
  return amount
}

function chainOf({ chainId }: RewardsApiOptions['devnet']) {
  return { id: chainId, name: 'Local', icon: '', liveCampaigns: 1, explorers: [] }
}
