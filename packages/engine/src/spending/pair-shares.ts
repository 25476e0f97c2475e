import type { Chain } from '@svc/wallet/core'
import { type Address, zeroAddress } from 'viem'
import { v2PairAddress } from '@svc/amm/liquidity'

/**
 * The v2 pairs that can exist between the given tokens, by lower-case address, with their two tokens. A pair's address
 * is computed from the factory's address and the hash of the pair's code, so a contract that only looks like a pair is
 * never among them. Native currency counts as its wrapped form.
 */
export function pairShares(chain: Chain, tokens: readonly Address[]): ReadonlyMap<string, readonly [Address, Address]> {
  const v2 = chain.amm.v2
  const found = new Map<string, readonly [Address, Address]>()
  if (v2 === undefined) return found
  const wrapped = tokens.map((token) => (token === zeroAddress ? chain.wrappedNative.address : token).toLowerCase())
  const sorted = [...new Set(wrapped)].sort().filter((token): token is Address => token.startsWith('0x'))
  for (const [index, token0] of sorted.entries()) {
    for (const token1 of sorted.slice(index + 1)) {
      found.set(v2PairAddress(v2, token0, token1).toLowerCase(), [token0, token1])
    }
  }
  return found
}
