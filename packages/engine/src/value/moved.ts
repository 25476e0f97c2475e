import { zeroAddress } from 'viem'
import type { Holdings, PairShares } from './trusted-value.ts'
import { type CallBounds, isTradeAlone } from '../calldata/call-bounds.ts'
import type { Inspected } from '../simulation/inspection.ts'
import type { SettledFees } from './settled-fees.ts'

export type Moved = {
  /** Of the calls that are still to be made. */
  readonly calls: readonly CallBounds[]
  readonly inspected: Inspected
  /** Net change of the wallet by lower-case token, native currency under the zero address. */
  readonly deltas: ReadonlyMap<string, bigint>
  /** What arrives at payees the operator lists, who are as good as the wallet. */
  readonly paid: ReadonlyMap<string, bigint>
  /** Pairs whose shares are among the deltas, as they stood before, by lower-case address. */
  readonly pairs: ReadonlyMap<string, Omit<PairShares, 'amount'>>
  /** Lower case. */
  readonly wrappedNative: string
  /** Fees that the newest blocks did not bring, by `positionKey`; absent where nothing can leave the wallet. */
  readonly settledFees?: SettledFees | undefined
  /** What is mined already of a call on its way: its net change, which `deltas` leave out, and the calls that are left. */
  readonly begun?: { readonly deltas: ReadonlyMap<string, bigint>; readonly left: readonly CallBounds[] }
}

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

/** A pair as it stands after the steps, which a new one did not before them; shares that are bought as they stood in a settled block. */
function pairOf(key: string, { inspected, pairs, calls }: Moved): Omit<PairShares, 'amount'> | null {
  if (boughtIn(calls).has(key)) return pairs.get(key) ?? null
  const after = inspected.pools.find(({ id, pair }) => pair !== null && id.toLowerCase() === key)
  if (after?.pair) return { pair: key, token0: after.token0, token1: after.token1, ...after.pair }
  return pairs.get(key) ?? null
}

/** Tokens that trades bring, lower-case. */
export function boughtIn(calls: readonly Pick<CallBounds, 'trades'>[]): ReadonlySet<string> {
  return new Set(calls.flatMap(({ trades }) => trades.map(({ tokenOut }) => tokenOut.toLowerCase())))
}

/**
 * What arrives beyond what trades pay for what they take, where trades alone pay: a router pays out all that it holds of a token, so that
 * what somebody leaves in it would make a small trade seem a large one. They pay about as much as their least, the slippage added back.
 */
export function lentTo(
  { calls, deltas, wrappedNative }: Pick<Moved, 'calls' | 'deltas' | 'wrappedNative'>,
  slippageBps: number | null,
): ReadonlyMap<string, bigint> {
  if (slippageBps === null || slippageBps >= 10_000 || !calls.every(isTradeAlone)) return new Map()
  const least = new Map<string, bigint>()
  for (const [token, amount] of calls.flatMap(({ brings }) => [...brings]))
    least.set(token, (least.get(token) ?? 0n) + amount)
  const lent = [...least].flatMap(([token, amount]) => {
    const most = (amount * 10_000n) / BigInt(10_000 - Math.ceil(slippageBps)) + 1n
    const keys = token === wrappedNative ? [token, zeroAddress] : [token]
    return amount === 0n ? [] : keys.map((key) => [key, (deltas.get(key) ?? 0n) - most] as const)
  })
  return new Map(lent.filter(([, amount]) => amount > 0n))
}
