import type { Address } from 'viem'

/** Two things with addresses in the order in which pools keep them: by address, as numbers. */
export function sortPair<Item extends { readonly address: Address }>(a: Item, b: Item): [Item, Item] {
  return BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a]
}
