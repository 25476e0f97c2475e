import type { PublicClient } from 'viem'

/**
 * The same client, to which no block after this one has come: calls and code are of it, and logs end with it. A read that it
 * cannot hold to a block throws a `TypeError`, so that no answer is of two.
 */
export function clientAtBlock(client: PublicClient, blockNumber: bigint): PublicClient {
  const atBlock = (read: object) => ({ ...read, blockNumber })
  const upToBlock = (filter: { readonly toBlock?: unknown }) => ({
    ...filter,
    toBlock: typeof filter.toBlock === 'bigint' && filter.toBlock < blockNumber ? filter.toBlock : blockNumber,
  })
  const held: ReadonlyMap<PropertyKey, (asked: object) => object> = new Map<PropertyKey, (asked: object) => object>([
    ['readContract', atBlock],
    ['call', atBlock],
    ['getCode', atBlock],
    ['getContractEvents', upToBlock],
  ])
  return new Proxy(client, {
    get(target, key, receiver) {
      if (key === 'getBlockNumber') return async () => blockNumber
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || ofNoBlock.has(key)) return member
      const hold = held.get(key)
      return (asked: object): unknown => {
        if (hold === undefined) throw new TypeError(`A read by ${String(key)} is not held to a block.`)
        return Reflect.apply(member, target, [hold(asked)])
      }
    },
  })
}

const ofNoBlock: ReadonlySet<PropertyKey> = new Set(['getChainId'])
