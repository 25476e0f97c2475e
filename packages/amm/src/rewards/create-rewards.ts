import { inTurns } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import { type Address, concat, encodeAbiParameters, type Hex, isAddressEqual, keccak256, parseAbi } from 'viem'
import type { ClaimableReward, Rewards, RpcPool } from '../ports.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { everyResult, readAll } from '../rpc/read-all.ts'
import { ToolError } from '../tool-error.ts'
import { type OfferedReward, readOfferedRewards, type RewardsService } from './read-offered-rewards.ts'

/**
 * Rewards that the distributors of chains pay, by the public proofs of a service with Merkl's API. The service is never believed: what
 * counts is in the tree whose root the distributor holds, less what the distributor says it paid, both read at one block.
 */
export function createRewards(options: RewardsOptions): Rewards {
  const { rpc, chains, url, fetch = globalThis.fetch, timeoutMs = 8_000 } = options
  const service: RewardsService = { url, fetch, timeoutMs }
  return Object.freeze({
    async claimable({ chain, wallet, signal }) {
      const distributor = chain.rewardDistributor
      if (distributor === undefined) throw noDistributor(chain, chains)
      const offered = await readOfferedRewards(service, { chainId: chain.id, wallet, signal })
      const { number: blockNumber } = await rpc.head(chain)
      const tokens = [...new Set(offered.map(({ token }) => token))]
      const [root, ...claims] = await readAll(
        rpc.client(chain),
        chain,
        [rootOf(distributor, []), ...tokens.map((token) => claimedOf(distributor, [wallet, token]))],
        blockNumber,
      )
      if (typeof root !== 'string') throw silentDistributor(chain)
      const claimed = new Map(everyResult(claims as readonly (Claim | null)[]).map(([paid], at) => [tokens[at], paid]))
      const known = { root, wallet, claimed }
      return { distributor, root, blockNumber, rewards: await inTurns(weighed(known, tokens, offered)) }
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
}

/** Of Merkl's distributor, what is read of it and the one function by which rewards are claimed. */
export const rewardDistributorAbi = parseAbi([
  'function getMerkleRoot() view returns (bytes32)',
  'function claimed(address user, address token) view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot)',
  'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
])

/**
 * Whether a proof shows a leaf (user, token, amount) to be in the tree of that root. Leaves are hashed once, and of two nodes the
 * smaller stands first, as OpenZeppelin's `MerkleProof` has it.
 */
export function holdsProof(root: Hex, { user, token, amount, proof }: ProvenLeaf): boolean {
  const leaf = keccak256(encodeAbiParameters(leafParameters, [user, token, amount]))
  const top = proof.reduce((node, sibling) => {
    const other = sibling.toLowerCase() as Hex
    return keccak256(node < other ? concat([node, other]) : concat([other, node]))
  }, leaf)
  return top === root.toLowerCase()
}

export type ProvenLeaf = {
  readonly user: Address
  readonly token: Address
  /** Smallest units, from the beginning. */
  readonly amount: bigint
  readonly proof: readonly Hex[]
}

const rootOf = contractFunction(rewardDistributorAbi, 'getMerkleRoot')
const claimedOf = contractFunction(rewardDistributorAbi, 'claimed')

type Claim = readonly [amount: bigint, timestamp: number, merkleRoot: Hex]

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

function silentDistributor(chain: Chain): ToolError {
  const message = `No distributor of rewards answers on ${chain.name} where its configuration says.`
  return new ToolError('DISTRIBUTOR_NOT_DEPLOYED', message, {
    details: [{ field: 'chain', message }],
    suggestion: 'The operator must correct rewardDistributor of this chain in the file of SVC_CHAINS_FILE.',
  })
}

const leafParameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }] as const
