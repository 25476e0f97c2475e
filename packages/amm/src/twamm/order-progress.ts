import type { TwammOrder } from '../ports.ts'

/**
 * How much of an order is sold, and what it has earned: what was settled follows from the earnings factors of its changes, each per
 * unit of the rate at which it sold until then, times 2^96.
 */
export function orderProgress({ changes, stands, expiresAt, now, pending }: OrderHistory): OrderProgress {
  const end = Math.min(now, expiresAt)
  let [sold, earned] = [0n, pending]
  for (const [index, { timestamp, sellRate, earningsFactor }] of changes.entries()) {
    const next = changes[index + 1]
    // The last change of an order that no longer stands sells nothing from then on.
    if (next === undefined && !stands) break
    sold += sellRate * secondsBetween(timestamp, Math.min(next?.timestamp ?? end, expiresAt))
    if (next !== undefined) earned += (BigInt.asUintN(256, next.earningsFactor - earningsFactor) * sellRate) >> 96n
  }
  const [first, last] = [changes[0], changes.at(-1)]
  return {
    amountTotal: first === undefined ? 0n : first.sellRate * secondsBetween(first.timestamp, expiresAt),
    amountSold: sold,
    amountRemaining: stands && last !== undefined ? last.sellRate * secondsBetween(end, expiresAt) : 0n,
    amountReceived: earned,
  }
}

export type OrderProgress = Pick<TwammOrder, 'amountTotal' | 'amountSold' | 'amountRemaining' | 'amountReceived'>

export type OrderHistory = {
  /** Its placing and each change since, oldest first, with the rate and the factor from then on. */
  readonly changes: readonly OrderChange[]
  readonly stands: boolean
  /** Unix seconds. */
  readonly expiresAt: number
  readonly now: number
  /** What it has earned since the last change. */
  readonly pending: bigint
}

export type OrderChange = { readonly timestamp: number; readonly sellRate: bigint; readonly earningsFactor: bigint }

function secondsBetween(from: number, to: number): bigint {
  return BigInt(Math.max(to - from, 0))
}
