import type { Chain } from '@svc/wallet/core'
import { type Address, concat, encodeAbiParameters, type Hex, keccak256, parseAbi } from 'viem'
import type { RpcPool } from '../ports.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { everyResult, readAll } from '../rpc/read-all.ts'
import { ToolError } from '../tool-error.ts'

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

/** Of Merkl's distributor, what is read of it, the one function by which rewards are claimed, and what it logs then. */
export const rewardDistributorAbi = parseAbi([
  'function getMerkleRoot() view returns (bytes32)',
  'function claimed(address user, address token) view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot)',
  'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
  'event Claimed(address indexed user, address indexed token, uint256 amount)',
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
