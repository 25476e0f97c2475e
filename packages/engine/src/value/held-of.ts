import type { Moved } from './moved.ts'
import type { Holdings, PairShares } from './trusted-value.ts'

/** Amounts as tokens, and those of pairs as shares of them. */
export function heldOf(amounts: ReadonlyMap<string, bigint>, moved: Moved): Holdings {
  const tokens = new Map<string, bigint>()
  const shares: PairShares[] = []
  for (const [key, amount] of amounts) {
    const pair = pairOf(key, moved)
    if (pair === null) tokens.set(key, amount)
    else shares.push({ ...pair, amount })
  }
  return { tokens, positions: [], shares }
}

/** A pair as it stands after the steps, which a new one did not before them. */
function pairOf(key: string, { inspected, pairs }: Moved): Omit<PairShares, 'amount'> | null {
  const after = inspected.pools.find(({ id, pair }) => pair !== null && id.toLowerCase() === key)
  if (after?.pair) return { pair: key, token0: after.token0, token1: after.token1, ...after.pair }
  return pairs.get(key) ?? null
}
