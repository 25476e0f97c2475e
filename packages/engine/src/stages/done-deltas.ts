import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import { type TransactionReceipt, zeroAddress } from 'viem'
import type { ChainSnapshot } from '../allowances/chain-snapshot.ts'
import type { Progress } from '../context/execution-context.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { gasCostOf } from '../spending/gas-cap.ts'
import type { PositionState } from '../value/inspection.ts'
import { positionKey, type SettledFees } from '../value/settled-fees.ts'
import { furthest } from '../value/simulated-deposit.ts'
import type { Reserved } from './reserve-spend.ts'

/**
 * What the transactions that are mined have moved, by their logs. Native currency leaves none: what liquidity on its way from one range to
 * another has brought of it is what the balance grew by since the plan, gas added back, or the next range would seem to take it from
 * the wallet.
 */
export function doneDeltas(
  context: Reserved,
  progress: Progress,
  { balanceWei }: ChainSnapshot,
): ReadonlyMap<string, bigint> {
  const receipts = progress.mined.map(({ receipt }) => receipt)
  const deltas = deltasIn(context, receipts)
  if (!isAmidOwnMove(context, progress)) return deltas
  return addDeltas(
    deltas,
    new Map([[zeroAddress, balanceWei - context.snapshotTaken.balanceWei + gasCostOf(receipts)]]),
  )
}

/**
 * The same, of native currency no more than what the transactions themselves account for: what a stranger gave meanwhile may be gone with
 * its block, and pays for nothing.
 */
export function sureDeltas(
  context: Reserved,
  progress: Progress,
  done: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  if (!isAmidOwnMove(context, progress)) return done
  const { chain, callBounds, simulation, settledFees } = context
  const wrappedNative = chain.wrappedNative.address.toLowerCase()
  const calls = progress.mined.filter(({ step }) => step.kind === 'call')
  const nativeWei = calls.reduce((sum, { step, receipt }, index) => {
    const { removals = [], brings = new Map<string, bigint>() } = callBounds[index] ?? {}
    const came = deltasIn(context, [receipt])
    const paidOf = (token: string) => came.get(token.toLowerCase()) ?? 0n
    const isClose = removals.length > 0
    const paidOut = isClose ? nativePaidOut(simulation.inspected.positions, { settledFees, wrappedNative, paidOf }) : 0n
    const brought = (brings.get(zeroAddress) ?? 0n) + (brings.get(wrappedNative) ?? 0n)
    const unwrapped = paidOut + brought - larger(paidOf(wrappedNative), 0n)
    return sum + larger(unwrapped, 0n) - step.valueWei
  }, 0n)
  const grownWei = done.get(zeroAddress) ?? 0n
  return new Map([...done, [zeroAddress, nativeWei < grownWei ? nativeWei : grownWei]])
}

function deltasIn({ wallet, chain }: Reserved, receipts: readonly TransactionReceipt[]): ReadonlyMap<string, bigint> {
  const own = { wallet, wrappedNative: chain.wrappedNative.address }
  return assetChanges(
    receipts.map(({ logs }) => logs),
    own,
  ).deltas
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** Both together. */
export function addDeltas(
  one: ReadonlyMap<string, bigint>,
  other: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  const sums = new Map(one)
  for (const [token, delta] of other) sums.set(token, (sums.get(token) ?? 0n) + delta)
  return sums
}

/**
 * The least native currency, or its wrapped form, that positions have paid out with liquidity that was taken out, by what they paid of the
 * other token: native currency leaves no logs, and what the balance grew by may be a gift that goes away with its block. Whatever
 * of the other token was no settled fee was liquidity at the price of the block, and so was its counterpart in native currency. 0 where
 * the positions are not of one pool of native currency.
 */
function nativePaidOut(
  positions: readonly PositionState[],
  { settledFees = new Map(), wrappedNative, paidOf }: PaidOut,
): bigint {
  const lessened = positions.filter(({ liquidityBefore, liquidityAfter }) => liquidityAfter < liquidityBefore)
  const [first] = lessened
  if (first === undefined || lessened.some(({ pool }) => pool.id !== first.pool.id)) return 0n
  const sides = [first.pool.token0, first.pool.token1]
  const native = sides.findIndex((token) => token === zeroAddress || token === wrappedNative)
  if (native === -1) return 0n
  const other = 1 - native
  const heldAt = (price: bigint, side: number) => sumOf(lessened.map((one) => takenOutAt(one, price)[side] ?? 0n))
  const fees = (side: number) => sumOf(lessened.map((one) => settledFees.get(positionKey(one))?.fees[side] ?? 0n))
  const paid = paidOf(sides[other] ?? zeroAddress) - fees(other)
  const edges = lessened.flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper]).toSorted((one, two) => one - two)
  const [lowest, highest] = [getSqrtPriceAtTick(edges.at(0) ?? 0), getSqrtPriceAtTick(edges.at(-1) ?? 0)]
  // Where positions hold the other token alone, and towards where they hold ever less of it.
  const [start, end] = native === 0 ? [highest, lowest] : [lowest, highest]
  return (
    heldAt(
      furthest(start, end, (price) => heldAt(price, other) >= paid),
      native,
    ) + fees(native)
  )
}

type PaidOut = {
  readonly settledFees?: SettledFees | undefined
  /** Lower case. */
  readonly wrappedNative: string
  /** What the wallet was paid of a token, by the logs of the transactions that took the liquidity out. */
  readonly paidOf: (token: string) => bigint
}

function takenOutAt({ tickLower, tickUpper, liquidityBefore, liquidityAfter }: PositionState, price: bigint) {
  const edges = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)] as const
  const { amount0, amount1 } = getAmountsForLiquidity(price, ...edges, liquidityBefore - liquidityAfter, false)
  return [amount0, amount1] as const
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((all, one) => all + one, 0n)
}

/**
 * Whether liquidity that is on its way from one range to another has left the first. What a close pays depends on the price at which it
 * was mined, and what the steps after it take is fixed: the wallet would add the difference unseen.
 */
export function isAmidOwnMove({ value }: Reserved, { mined }: Progress): boolean {
  return value.ownMove !== null && mined.some(({ step }) => step.kind === 'call')
}
