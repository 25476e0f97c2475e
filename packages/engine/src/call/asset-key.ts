import type { Address } from 'viem'

/**
 * The key under which an amount of another chain's token stands among those of the call's own, which go by their addresses: its CAIP-19
 * asset id. It is priced there, and no log of this chain shows it.
 */
export function assetKey(chainId: number, token: Address): string {
  return `eip155:${chainId}/erc20:${token.toLowerCase()}`
}

/** Whether a key stands for a token of another chain. */
export function isAtDestination(key: string): boolean {
  return key.startsWith('eip155:')
}
