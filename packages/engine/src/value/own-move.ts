import {
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  integerSqrt,
  larger,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  smaller,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import { type Intent, isBatch } from '@svc/amm'
import { isAddressEqual, zeroAddress } from 'viem'
import type { CallBounds } from '../calldata/call-bounds.ts'
import type { DepositBounds, Ticks } from '../calldata/deposit-bounds.ts'
import type { PositionState } from '../simulation/inspection.ts'
import type { Moved } from './moved.ts'
import { positionKey } from './settled-fees.ts'
import type { PoolIdentity } from '../calldata/pool-identity.ts'
import { furthest, rangeOutcomeAt, type SimulatedDeposit, simulatedDeposit } from './simulated-deposit.ts'

/**
 * A call that takes liquidity or fees out of own positions and puts them back into the same pool: what re-enters is no spend, what is
 * traded on the way and what the wallet adds is. The pool has no hooks, every position that the calldata names is of it (or, where the
 * wallet adds nothing, of another pool of the pair), what is traded are its two tokens, in one transaction not in the pool itself where
 * liquidity is taken out, nothing else leaves, and nobody else is paid; `null` for any other call, which counts in full.
 */
export type OwnMove = {
  /** What the trades take at most, per lower-case token. */
  readonly pays: ReadonlyMap<string, bigint>
  /** What they bring at least. */
  readonly brings: ReadonlyMap<string, bigint>
  /** The most that the wallet adds of each token, in smallest units. */
  readonly adds: ReadonlyMap<string, bigint>
}

export function ownMoveOf(intent: MovingIntent, moved: Moved): OwnMove | null {
  const { calls, inspected, paid, wrappedNative } = moved
  const deposits = calls
    .flatMap((call) => call.deposits)
    .map((bounds): BoundDeposit => Object.assign({ bounds }, simulatedDeposit(bounds, moved)))
  const [pool, ...others] = deposits.map((deposit) => deposit.pool)
  if (pool === undefined || pool === null || inspected.positions.length === 0 || paid.size > 0) return null
  const isOne = others.every((other) => other?.id === pool.id)
  const isPair = (other: PoolIdentity) => pairKey(other, wrappedNative) === pairKey(pool, wrappedNative)
  // With a permit the router hands what a position pays on to the other position manager: the wallet pays nothing.
  const addsNothing = intent.permit !== undefined && intent.spends.length + intent.approvals.length === 0
  const isOwn = inspected.positions.every(({ pool: own }) => own.id === pool.id || (addsNothing && isPair(own)))
  const isPlain = (intent.deposits ?? []).every(({ hooks, version }) => hooks === null && version !== 'v2')
  const isLasting = intent.approvals.some(({ revokeAfter }) => !revokeAfter)
  const sells = calls.some(({ orders }) => orders.length > 0)
  if (!isOne || !isOwn || !isPlain || isLasting || sells) return null
  const sides = [pool.token0, pool.token1]
  const traded = new Set(sides.map((token) => (token === zeroAddress ? wrappedNative : token)))
  // Whatever else leaves, such as shares of a pair, is no liquidity of this pool.
  const isStrange = ([token, delta]: readonly [string, bigint]) =>
    delta < 0n && !traded.has(token === zeroAddress ? wrappedNative : token)
  if ([...moved.deltas, ...(moved.begun?.deltas ?? [])].some(isStrange)) return null
  const trades = calls.flatMap((call) => call.trades)
  if (trades.some(({ tokenIn, tokenOut }) => !traded.has(tokenIn) || !traded.has(tokenOut))) return null
  const isOneTransaction = calls.length === 1 || isBatch(intent)
  const movesPool = trades.some(({ pools }) => pools.some((id) => id.toLowerCase() === pool.id.toLowerCase()))
  // A trade of its own moves the pool between what is taken out and what is put in, from wherever it was pushed to.
  if (isOneTransaction && movesPool && inspected.positions.some(isLessened)) return null
  const net: Pair = [sureChange(0, pool, deposits, moved), sureChange(1, pool, deposits, moved)]
  const pushed = addsNothing
    ? []
    : isOneTransaction && !movesPool
      ? addedWherePushed(intent, deposits, moved, net)
      : [addedAtMost(deposits, net)]
  const adds = sides.map((token, side): readonly [string, bigint] => {
    const added = [-(net[side] ?? 0n), ...pushed.map((one) => one[side] ?? 0n)]
    return [token, added.reduce(larger, 0n)]
  })
  return { ...tradedIn(calls), adds: new Map(adds) }
}

/** What the trades of these calls take at most, and bring at least. */
export function tradedIn(calls: readonly CallBounds[]): Pick<OwnMove, 'pays' | 'brings'> {
  return { pays: summed(calls, 'pays'), brings: summed(calls, 'brings') }
}

type MovingIntent = Pick<Intent, 'atomicity' | 'spends' | 'approvals' | 'permit' | 'deposits' | 'slippageBps'>

/** Native currency and its wrapped form are one. */
function pairKey({ token0, token1 }: PoolIdentity, wrappedNative: string): string {
  return [token0, token1]
    .map((token) => (token === zeroAddress ? wrappedNative : token))
    .toSorted()
    .join(' ')
}

type BoundDeposit = SimulatedDeposit & { readonly bounds: DepositBounds }

/**
 * What the wallet adds of both tokens in a single transaction, which takes out and puts in at one price, wherever that lies within the
 * slippage, or beyond it within what the calldata permits: at either end, and where amounts bend between. What comes beside is the same
 * there; what trades take is counted by itself.
 */
function addedWherePushed(
  { slippageBps }: MovingIntent,
  deposits: readonly BoundDeposit[],
  moved: Moved,
  [net0, net1]: Pair,
): readonly Pair[] {
  const [first] = deposits
  const [pool, price] = [first?.pool ?? null, first?.state?.sqrtPriceX96 ?? null]
  if (price === null || pool === null) return []
  const [now0, now1] = netAt(deposits, moved, price)
  const { pays } = tradedIn(moved.calls)
  const [paid0, paid1] = [amountOf(pays, pool.token0, moved), amountOf(pays, pool.token1, moved)]
  const [beside0, beside1] = [now0 + net0 + paid0, now1 + net1 + paid1]
  const { lower, upper } = pricesPermitted(price, slippageBps ?? 0, deposits, moved)
  const bends = [...moved.inspected.positions, ...deposits.flatMap(({ position }) => position ?? [])].flatMap(edgesOf)
  const caps = moved.inspected.positions.flatMap((position) => capsOf(position, moved))
  const between = [...bends, ...caps, ...deposits.flatMap(fitOf)].filter((bend) => lower < bend && bend < upper)
  return [lower, ...between, upper].map((end): Pair => {
    const [end0, end1] = netAt(deposits, moved, end)
    return [end0 - beside0, end1 - beside1]
  })
}

/**
 * The prices around that of the simulation at which the transaction may be mined: those within the slippage, and those at which every
 * minimum and maximum of its calldata is met, for that was planned at another price where the pool was pushed meanwhile.
 */
function pricesPermitted(
  price: bigint,
  slippageBps: number,
  deposits: readonly BoundDeposit[],
  { calls, inspected }: Moved,
): { readonly lower: bigint; readonly upper: bigint } {
  const removals = calls.flatMap((call) => call.removals)
  const isPermitted = (at: bigint): boolean =>
    deposits.every((deposit) => mayBePut(deposit, at)) &&
    removals.every(({ contract, positionId, liquidity, least }) => {
      const held = inspected.positions.find((one) => one.id === positionId && isAddressEqual(one.contract, contract))
      if (held === undefined) return true
      const { amount0, amount1 } = getAmountsForLiquidity(at, ...edgesOf(held), liquidity, false)
      return amount0 >= least.amount0 && amount1 >= least.amount1
    })
  const { lower, upper } = sqrtPricesAfterSlippage(price, slippageBps)
  const [lowest, highest] = [MIN_SQRT_PRICE + 1n, MAX_SQRT_PRICE - 1n].map((end) =>
    furthest(price, end, isPermitted, halvings),
  )
  return { lower: smaller(lower, lowest ?? lower), upper: larger(upper, highest ?? upper) }
}

/** Amounts are a unit more in the contract, which rounds them up. */
function mayBePut({ bounds, position }: BoundDeposit, price: bigint): boolean {
  if (position === null) return true
  const { most, least } = bounds
  const { amount0, amount1, liquidity } = rangeOutcomeAt({ ...bounds, ticks: position }, price)
  const isEnough = amount0 + 1n >= least.amount0 && amount1 + 1n >= least.amount1
  return liquidity > 0n && isEnough && amount0 <= most.amount0 && amount1 <= most.amount1
}

/**
 * The same of several transactions, each at a price of its own: who pushed the pool while it was simulated may take the push back before a
 * deposit is mined, which then takes all that its calldata lets it.
 */
function addedAtMost(deposits: readonly BoundDeposit[], [net0, net1]: Pair): Pair {
  const more = deposits.map(({ bounds: { most }, atPrice }): Pair => {
    const { amount0, amount1 } = atPrice ?? { amount0: 0n, amount1: 0n }
    return [most.amount0 - amount0, most.amount1 - amount1]
  })
  const sum = (side: 0 | 1) => sumOf(more.map((one) => larger(one[side], 0n)))
  return [sum(0) - net0, sum(1) - net1]
}

function edgesOf({ tickLower, tickUpper }: Ticks): readonly [bigint, bigint] {
  return [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
}

/**
 * The price at which a deposit of v3 takes all of both its amounts. With the edges of ranges and caps these are all bends: between two of them what
 * a deposit takes of a token, less what positions pay of it, first falls and then rises, so that it is most at one of both.
 */
function fitOf({ bounds: { liquidity, most }, position }: BoundDeposit): readonly bigint[] {
  if (liquidity !== null || position === null) return []
  const isShortOf0 = (price: bigint): boolean => {
    const { amount0, amount1 } = rangeOutcomeAt({ liquidity: null, most, ticks: position }, price)
    return amount1 * most.amount0 < amount0 * most.amount1
  }
  return crossing(edgesOf(position), isShortOf0)
}

/** Where something that holds at low prices ends to hold. */
function crossing([lower, upper]: readonly [bigint, bigint], holds: (price: bigint) => boolean): readonly bigint[] {
  let [below, above] = [lower, upper]
  for (let halving = 0; halving < halvings; halving += 1) {
    const middle = integerSqrt(below * above)
    if (holds(middle)) below = middle
    else above = middle
  }
  return [below, above]
}

/** All ticks together are 128 doublings: what is left is less than any rounding. */
const halvings = 64

type Pair = readonly [bigint, bigint]

/**
 * Net change of the wallet in one of the pool's tokens, as far as it is sure: no more than what is mined, and what calldata, positions and
 * their settled fees account for. What else a simulation shows a stranger may take back before the block: the position manager pays for
 * wrapped currency with the native currency that somebody left in it, and pays out the tokens that lie there.
 */
function sureChange(side: 0 | 1, pool: PoolIdentity, deposits: readonly BoundDeposit[], moved: Moved): bigint {
  const { settledFees, begun = { deltas: new Map(), left: moved.calls } } = moved
  const of = (amounts: ReadonlyMap<string, bigint>) => amountOf(amounts, side === 0 ? pool.token0 : pool.token1, moved)
  const shown = of(moved.deltas)
  const price = deposits[0]?.state?.sqrtPriceX96 ?? null
  if (settledFees === undefined || price === null) return of(begun.deltas) + shown
  const { pays, brings } = tradedIn(begun.left)
  const open = new Set(begun.left.flatMap((call) => call.deposits))
  const put = netAt(
    deposits.filter(({ bounds }) => open.has(bounds)),
    moved,
    price,
  )
  return of(begun.deltas) + smaller(shown, of(brings) - of(pays) - put[side])
}

/** Native currency and its wrapped form are one. */
function amountOf(amounts: ReadonlyMap<string, bigint>, token: string, { wrappedNative }: Moved): bigint {
  const of = (key: string) => amounts.get(key) ?? 0n
  return token === zeroAddress || token === wrappedNative ? of(zeroAddress) + of(wrappedNative) : of(token)
}

/** What the deposits take at a price, less what positions pay there. */
function netAt(deposits: readonly BoundDeposit[], moved: Moved, price: bigint): Pair {
  const taken = moved.inspected.positions.map((position) => paidOut(position, moved, price))
  const put = deposits.map(({ bounds, position }) =>
    position === null ? null : rangeOutcomeAt({ ...bounds, ticks: position }, price),
  )
  return [
    sumOf(put.map((one) => one?.amount0 ?? 0n)) - sumOf(taken.map(([amount0]) => amount0)),
    sumOf(put.map((one) => one?.amount1 ?? 0n)) - sumOf(taken.map(([, amount1]) => amount1)),
  ]
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((all, one) => all + one, 0n)
}

function isLessened({ liquidityBefore, liquidityAfter }: PositionState): boolean {
  return liquidityAfter < liquidityBefore
}

/** Liquidity that is taken out and settled fees, as far as the calldata lets both be paid. */
function paidOut(position: PositionState, moved: Moved, price: bigint): Pair {
  const [[most0, most1], [due0, due1]] = [mostPaid(position, moved), dueTo(position, moved, price)]
  return [smaller(due0, most0), smaller(due1, most1)]
}

function dueTo(position: PositionState, { settledFees }: Moved, price: bigint): Pair {
  const { fees, liquidity } = settledFees?.get(positionKey(position)) ?? { fees: [0n, 0n], liquidity: null }
  const [taken0, taken1] = takenOut(position, price, liquidity)
  return [taken0 + fees[0], taken1 + fees[1]]
}

function mostPaid({ contract, id }: PositionState, { calls }: Moved): Pair {
  const payouts = calls.flatMap((call) => call.payouts)
  const own = payouts.filter((one) => one.positionId === id && isAddressEqual(one.contract, contract))
  return [sumOf(own.map(({ most }) => most.amount0)), sumOf(own.map(({ most }) => most.amount1))]
}

/** The prices at which what is due to a position passes the most that it is paid. */
function capsOf(position: PositionState, moved: Moved): readonly bigint[] {
  const [most0, most1] = mostPaid(position, moved)
  const due = (price: bigint) => dueTo(position, moved, price)
  const edges = edgesOf(position)
  return [...crossing(edges, (price) => due(price)[0] > most0), ...crossing(edges, (price) => due(price)[1] < most1)]
}

/** No more than is settled, where that is known. */
function takenOut(
  { tickLower, tickUpper, liquidityBefore, liquidityAfter }: PositionState,
  price: bigint,
  settled: bigint | null,
): Pair {
  const lessened = liquidityBefore - liquidityAfter
  const liquidity = settled === null ? lessened : smaller(lessened, settled)
  if (liquidity <= 0n) return [0n, 0n]
  const { amount0, amount1 } = getAmountsForLiquidity(price, ...edgesOf({ tickLower, tickUpper }), liquidity, false)
  return [amount0, amount1]
}

function summed(calls: readonly CallBounds[], side: 'pays' | 'brings'): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const call of calls) {
    // Native currency that a deposit sends along is no trade.
    if (call.trades.length === 0) continue
    for (const [token, amount] of call[side]) sums.set(token, (sums.get(token) ?? 0n) + amount)
  }
  return sums
}
