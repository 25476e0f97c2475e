import { type Address, concat, encodeAbiParameters, type Hex, keccak256 } from 'viem'

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
