import { type Address, concat, type Hex, keccak256, pad, toHex, zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { holdsProof, type ProvenLeaf } from './read-distributor.ts'

/** Root and proofs as @openzeppelin/merkle-tree 1.0.8 (SimpleMerkleTree) makes them of these five leaves. */
const root = '0x0ca71b2062f7afe9bb5ba6488b35fa34b8d708972286529d714a42d2b463af6e'
const [first, second, third, fourth] = [
  '0xc953d0727f0096bfb2359ff3e6426ffcb164adbabc129d88ccd55d6d38d6d064',
  '0xaa2dde34eae7a5f601730648b6ebf6ed66997c54b67be6b2103e3e094c9f7b97',
  '0xbfc0802bce9456fb23f26bcee00b1ae75598b064fa26786c13c282f5d1ec8b52',
  '0x1e2ac7807bb4849faa13499ac46c1b4335548b458801f3cd4b30c68224890b0b',
] as const
const address = (number: number): Address => pad(toHex(number), { size: 20 })
const leafOf = (user: number, token: number, amount: bigint, proof: readonly Hex[]): ProvenLeaf => ({
  user: address(user),
  token: address(token),
  amount,
  proof,
})
const leaves = [
  leafOf(1, 101, 5n, ['0x68be9333c5aa8659e7ee1e48719d7ca48431db0021a459ff8d85d730ab67d390', first]),
  leafOf(2, 101, 7n, ['0x1d893806663f7a8fee1db051e7726143a556634047ccc27ad2854227b60038cc', second, third]),
  leafOf(1, 102, 2n ** 200n, [fourth, second, third]),
  leafOf(3, 102, 1n, ['0xa7d414d15bd6e616ed9c600f79240bb3ac06da18fedc14be8cf6dd7d826e4d2b', first]),
  leafOf(4, 101, 12n, ['0xd6b9949380f3717db783ebdc96da5ca7d9b2547ddb2b597af4d07ff8c9af3dd0', third]),
]

test('holds for each leaf of a tree, in whatever case its nodes are written', () => {
  for (const leaf of leaves) {
    expect(holdsProof(root, leaf)).toBe(true)
    const proof = leaf.proof.map((node) => `0x${node.slice(2).toUpperCase()}` as const)
    expect(holdsProof(root, { ...leaf, proof })).toBe(true)
  }
})

test('holds for nobody else, for no other token or amount, and with no other proof', () => {
  for (const [index, leaf] of leaves.entries()) {
    const others = [
      { ...leaf, user: address(9) },
      { ...leaf, token: address(9) },
      { ...leaf, amount: leaf.amount + 1n },
      { ...leaf, proof: [] },
      { ...leaf, proof: leaf.proof.toReversed() },
      { ...leaf, proof: leaf.proof.slice(1) },
      { ...leaf, proof: [...leaf.proof, zeroHash] },
      { ...leaf, proof: leaves[(index + 1) % leaves.length]!.proof },
    ]
    for (const other of others) expect(holdsProof(root, other)).toBe(false)
    expect(holdsProof(zeroHash, leaf)).toBe(false)
    expect(holdsProof(keccak256(root), leaf)).toBe(false)
  }
})

test('the root of a tree of one leaf is the leaf itself', () => {
  const { user, token, amount } = leaves[0]!
  const only = keccak256(concat([pad(user), pad(token), pad(toHex(amount))]))
  expect(holdsProof(only, { user, token, amount, proof: [] })).toBe(true)
  expect(holdsProof(only, { user, token, amount: amount + 1n, proof: [] })).toBe(false)
})
