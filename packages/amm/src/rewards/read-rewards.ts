import { type Chain, urlCredentials } from '@svc/wallet/core'
import { type Address, concat, encodeAbiParameters, type Hex, keccak256, getAddress, isAddress, maxUint256 } from 'viem'
import type { RpcPool } from '../ports.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { everyResult, readAll } from '../rpc/read-all.ts'
import { ToolError } from '../tool-error.ts'
import { rewardDistributorAbi } from '../abis/rewards.ts'
import * as z from 'zod'
import { fetchJson } from '../fetch-json.ts'

/**
 * The root that a chain's distributor pays by and what it has paid a wallet, both at the newest block. Throws
 * `DISTRIBUTOR_NOT_DEPLOYED` where nothing answers at its address, and `RPC_*`.
 */
export async function readDistributor(
  rpc: Pick<RpcPool, 'client' | 'head'>,
  { chain, distributor, wallet, tokens }: DistributorQuestion,
): Promise<DistributorState> {
  const { number: blockNumber } = await rpc.head(chain)
  const [root, ...claims] = await readAll(
    rpc.client(chain),
    chain,
    [rootOf(distributor, []), ...tokens.map((token) => claimedOf(distributor, [wallet, token]))],
    blockNumber,
  )
  if (typeof root !== 'string') throw silentDistributor(chain)
  const paid = everyResult(claims as readonly (Claim | null)[]).map(([amount], at) => [tokens[at], amount] as const)
  return { root, blockNumber, claimed: new Map(paid) }
}

export type DistributorQuestion = {
  readonly chain: Chain
  readonly distributor: Address
  readonly wallet: Address
  readonly tokens: readonly Address[]
}

export type DistributorState = {
  readonly root: Hex
  readonly blockNumber: bigint
  /** By token, from the beginning. */
  readonly claimed: ReadonlyMap<Address | undefined, bigint>
}

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

const leafParameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }] as const

const rootOf = contractFunction(rewardDistributorAbi, 'getMerkleRoot')
const claimedOf = contractFunction(rewardDistributorAbi, 'claimed')

type Claim = readonly [amount: bigint, timestamp: number, merkleRoot: Hex]

function silentDistributor(chain: Chain): ToolError {
  const message = `No distributor of rewards answers on ${chain.name} where its configuration says.`
  return new ToolError('DISTRIBUTOR_NOT_DEPLOYED', message, {
    details: [{ field: 'chain', message }],
    suggestion: 'The operator must correct rewardDistributor of this chain in the file of SVC_CHAINS_FILE.',
  })
}

/**
 * What a service with Merkl's API (version 4) says an account has earned on a chain. Nothing of it is believed here: amounts, proofs
 * and recipients have the right form, no more.
 *
 * @throws ToolError `REWARDS_UNAVAILABLE`, `REWARDS_UNREADABLE`, `CANCELLED`
 */
export async function readOfferedRewards(
  service: RewardsService,
  { chainId, wallet, signal }: OfferedFor,
): Promise<readonly OfferedReward[]> {
  const { url, headers } = urlCredentials(
    `${service.url.replace(/\/+$/, '')}/v4/users/${wallet}/rewards?chainId=${chainId}`,
  )
  const { fetch, timeoutMs } = service
  const said = await fetchJson({ url, headers, fetch, timeoutMs, signal, mostBytes, mostValues })
  if (signal?.aborted === true) throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
  if ('failed' in said) throw failures[said.failed](said.cause)
  const { status, body } = said
  if (status === 429 || status >= 500) throw unavailable(`answered with status ${status}`)
  if (status !== 200) throw unreadable(`answered with status ${status}`)
  const answer = answerSchema.safeParse(body)
  if (!answer.success) throw unreadable('answered with something else than rewards', answer.error)
  return answer.data.filter(({ chain }) => chain.id === chainId).flatMap(({ rewards }) => rewards)
}

export type RewardsService = {
  /** The base that `/v4/...` is added to. */
  readonly url: string
  readonly fetch: typeof fetch
  /** For the whole exchange, its body included. */
  readonly timeoutMs: number
}

type OfferedFor = {
  readonly chainId: number
  readonly wallet: Address
  readonly signal?: AbortSignal | undefined
}

/** Amounts in smallest units. */
export type OfferedReward = {
  readonly recipient: Address
  readonly token: Address
  /** From the beginning. */
  readonly amount: bigint
  readonly pending: bigint
  readonly proof: readonly Hex[]
  readonly sources: readonly { readonly reason: string; readonly campaignId: string }[]
}

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text))

const units = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
  .refine((amount) => amount <= maxUint256)

const node = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value))

/** A tree of 2^40 leaves is larger than any. */
const mostNodes = 40
const mostRewards = 500
const mostSources = 10

const rewardSchema = z
  .object({
    recipient: address,
    amount: units,
    pending: units,
    proofs: z.array(node).max(mostNodes),
    token: z.object({ address }),
    // The service gives them page by page: where there are none, the amounts stand all the same.
    breakdowns: z.array(z.object({ reason: z.string(), campaignId: z.string() })).default([]),
  })
  .transform(({ recipient, amount, pending, proofs, token, breakdowns }): OfferedReward => {
    const sources = breakdowns.slice(0, mostSources).map(({ reason, campaignId }) => ({ reason, campaignId }))
    return { recipient, token: token.address, amount, pending, proof: proofs, sources }
  })

const answerSchema = z.array(
  z.object({ chain: z.object({ id: z.int() }), rewards: z.array(rewardSchema).max(mostRewards) }),
)

const mostBytes = 4 * 1024 * 1024
/** A reward with its proof and a hundred campaigns holds some thousand. */
const mostValues = 200_000

const failures = {
  timeout: (cause: unknown) => unavailable('did not answer in time', cause),
  unreachable: (cause: unknown) => unavailable('could not be reached', cause),
  'too long': (cause: unknown) => unreadable('answered with more than 4 MiB', cause),
  'too many values': (cause: unknown) => unreadable(`answered with more than ${mostValues} values`, cause),
}

function unavailable(clause: string, cause?: unknown): ToolError {
  return new ToolError('REWARDS_UNAVAILABLE', `The service that gives proofs of rewards ${clause}.`, { cause })
}

function unreadable(clause: string, cause?: unknown): ToolError {
  return new ToolError('REWARDS_UNREADABLE', `The service that gives proofs of rewards ${clause}.`, { cause })
}
