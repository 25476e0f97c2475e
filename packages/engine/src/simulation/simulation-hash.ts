import { createHash } from 'node:crypto'
import type { Address, Hash, Hex } from 'viem'
import { isAtDestination } from '../call/amounts.ts'

/**
 * Names the result of a simulation: what was simulated, where and when, and what it moved. SHA-256 of the JSON of
 * `[chain id, wallet, block, Unix seconds, [[to, data, value], ...], [[token, change], ...]]`: addresses in lower case,
 * amounts as decimal text in smallest units, changes that are none, and what another chain owes, left out and the others in the order of their tokens.
 */
export function simulationHash({ chainId, wallet, block, atSeconds, steps, deltas }: SimulatedEffect): Hash {
  const simulated = steps.map(({ to, data, valueWei }) => [to.toLowerCase(), data.toLowerCase(), `${valueWei}`])
  const moved = [...deltas]
    .filter(([token, change]) => change !== 0n && !isAtDestination(token))
    .map(([token, change]) => [token.toLowerCase(), `${change}`] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([chainId, wallet.toLowerCase(), `${block}`, atSeconds, simulated, moved])
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

export type SimulatedEffect = {
  readonly chainId: number
  readonly wallet: Address
  readonly block: bigint
  readonly atSeconds: number
  readonly steps: readonly { readonly to: Address; readonly data: Hex; readonly valueWei: bigint }[]
  /** Change of the wallet per token, in smallest units. */
  readonly deltas: ReadonlyMap<string, bigint>
}
