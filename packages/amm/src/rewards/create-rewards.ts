import { inTurns } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import { type Address, type Hex, isAddressEqual } from 'viem'
import type { ClaimableReward, Rewards, RpcPool } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { claimedIn, planClaim, type ClaimPorts } from './plan-claim.ts'
import { holdsProof, readDistributor } from './read-distributor.ts'
import { type OfferedReward, readOfferedRewards, type RewardsService } from './read-offered-rewards.ts'

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
