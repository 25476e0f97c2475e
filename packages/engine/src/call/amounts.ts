import type { Address } from 'viem'
import type { Intent } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'

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

/** Sums declared quantities by lower-case token. */
export function sumByToken(quantities: Intent['spends']): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { token, amount } of quantities) {
    const key = token.toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return sums
}

/** Millionths of a dollar as decimal dollars. */
export function usdText(micros: bigint): string {
  return formatAmount(micros, 6)
}
