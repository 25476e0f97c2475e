import { larger, smaller } from '@svc/lp-math'
import { type TransactionReceipt, zeroAddress } from 'viem'
import type { ChainSnapshot } from '../call/chain-snapshot.ts'
import type { Progress } from '../context/execution-context.ts'
import { sentWei } from '../batch/batch-step.ts'
import { gasCostOf } from '../spending/gas.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { nativePaidOut } from '../value/simulated-deposit.ts'
import type { Reserved } from './reserve-spend.ts'

/**
 * What the transactions that are mined have moved, by their logs. Native currency leaves none: what liquidity on its way from one range to
 * another has brought of it is what the balance grew by since the plan, gas added back, or the next range would seem to take it from
 * the wallet. No more is gone than was sent along: what somebody gave before the plan may be gone with its block.
 */
export function doneDeltas(
  context: Reserved,
  progress: Progress,
  { balanceWei }: ChainSnapshot,
): ReadonlyMap<string, bigint> {
  const receipts = progress.mined.map(({ receipt }) => receipt)
  const deltas = deltasIn(context, receipts)
  if (!isAmidOwnMove(context, progress)) return deltas
  const grownWei = balanceWei - context.snapshotTaken.balanceWei + gasCostOf(receipts)
  return addDeltas(deltas, new Map([[zeroAddress, larger(grownWei, -sentWei(progress.mined.map(({ step }) => step)))]]))
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
  return new Map([...done, [zeroAddress, smaller(nativeWei, grownWei)]])
}

function deltasIn({ wallet, chain }: Reserved, receipts: readonly TransactionReceipt[]): ReadonlyMap<string, bigint> {
  const own = { wallet, wrappedNative: chain.wrappedNative.address }
  return assetChanges(
    receipts.map(({ logs }) => logs),
    own,
  ).deltas
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
 * Whether liquidity that is on its way from one range to another has left the first. What a close pays depends on the price at which it
 * was mined, and what the steps after it take is fixed: the wallet would add the difference unseen.
 */
export function isAmidOwnMove({ value }: Reserved, { mined }: Progress): boolean {
  return value.ownMove !== null && mined.some(({ step }) => step.kind === 'call')
}
