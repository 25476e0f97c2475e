import {
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  integerSqrt,
  LpMathError,
} from '@svc/lp-math'
import { zeroAddress } from 'viem'
import type { CallBounds } from '../calldata/call-bounds.ts'
import type { DepositBounds, Pair, Ticks } from '../calldata/deposit-bounds.ts'
import { heldOf, type Moved } from './moved.ts'
import type { PoolAfter, PositionState } from '../simulation/inspection.ts'
import { positionKey, type SettledFees } from './settled-fees.ts'
import type { PoolIdentity } from '../calldata/pool-identity.ts'
import { type PairShares, type RangePosition, type TrustedPrices, valueAt } from './trusted-value.ts'
import type { Outcome } from './weigh-change.ts'

/** A deposit at the price its pool was simulated at, and at both ends of what its calldata permits. */
export type SimulatedDeposit = {
  /** As the calldata names it, or as the chain says of the position that it names. */
  readonly pool: PoolIdentity | null
  /** As it stands after the steps; `null` where it was not looked at. */
  readonly state: PoolAfter | null
  /** `null` in v2. */
  readonly position: Omit<RangePosition, 'liquidity'> | null
  /** All `null` where the pool has no price. */
  readonly atPrice: DepositOutcome | null
  readonly ends: readonly [DepositOutcome | null, DepositOutcome | null]
}

export function simulatedDeposit(bounds: DepositBounds, moved: Moved): SimulatedDeposit {
  const { inspected } = moved
  const held = inspected.positions.find(
    ({ contract, id }) => id === bounds.positionId && contract.toLowerCase() === bounds.contract.toLowerCase(),
  )
  const pool = bounds.pool ?? held?.pool ?? null
  const state = inspected.pools.find(({ id }) => id.toLowerCase() === pool?.id.toLowerCase()) ?? null
  const unknown = { pool, state, position: null, atPrice: null, ends: [null, null] } as const
  if (pool === null) return unknown
  if (bounds.version === 'v2') {
    const [low = null, high = null] = pairOutcomes(bounds)
    return { ...unknown, atPrice: depositedPair(pool, moved), ends: [low, high] }
  }
  const ticks = bounds.ticks ?? held ?? null
  if (ticks === null) return unknown
  const { tickLower, tickUpper } = ticks
  const position = { token0: pool.token0, token1: pool.token1, tickLower, tickUpper }
  const price = state?.sqrtPriceX96 ?? null
  if (price === null) return { ...unknown, position }
  const [atPrice = null, low = null, high = null] = rangeOutcomes({ ...bounds, ticks }, price)
  return { pool, state, position, atPrice, ends: [low, high] }
}

/**
 * The deposits of a call by themselves: at the price of their pools, all at the lower and all at the upper end, and where
 * there are several each at its worse one.
 */
export function depositOutcomes(bounds: CallBounds, moved: Moved, prices: TrustedPrices): readonly Outcome[] {
  const deposits = bounds.deposits.map((deposit) => simulatedDeposit(deposit, moved))
  const at = (choose: (deposit: SimulatedDeposit) => DepositOutcome | null): Outcome => {
    const parts = deposits.map((deposit) => partOutcome(deposit, choose(deposit), moved))
    return withUnreturned(parts.reduce(sumOf, nothing), bounds.unreturnedWei, moved)
  }
  if (deposits.length === 0) return []
  const worse = (deposit: SimulatedDeposit) =>
    lossAt(deposit, deposit.ends[0], moved, prices) > lossAt(deposit, deposit.ends[1], moved, prices)
      ? deposit.ends[0]
      : deposit.ends[1]
  const ends = [at(({ ends: [low] }) => low), at(({ ends: [, high] }) => high)]
  return [at(({ atPrice }) => atPrice), ...ends, ...(deposits.length > 1 ? [at(worse)] : [])]
}

/**
 * The outcome at the price of the pool, and those at the two edges of the prices at which a deposit into a range may still be
 * mined: where one of its minimums is just met (v3, liquidity follows from the amounts), or one of its maximums (v4,
 * liquidity is fixed), else where the range ends. Between them an outcome is never worse than at the worse of both, since
 * what a range is worth is concave in the price it was entered at.
 *
 * @param sqrtPriceX96 price of the pool that the deposit was simulated at
 */
export function rangeOutcomes(deposit: RangeDeposit, sqrtPriceX96: bigint): readonly DepositOutcome[] {
  const { lower, upper } = endsOf(deposit.ticks)
  const at = (price: bigint): DepositOutcome => rangeOutcomeAt(deposit, price)
  const isPermitted = (price: bigint): boolean => {
    const { amount0, amount1, liquidity } = at(price)
    const { most, least } = deposit
    const isEnough = amount0 >= least.amount0 && amount1 >= least.amount1
    return liquidity > 0n && isEnough && amount0 <= most.amount0 && amount1 <= most.amount1
  }
  const start = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96
  return [at(start), at(furthest(start, lower, isPermitted)), at(furthest(start, upper, isPermitted))]
}

/** The two outcomes of a deposit into a v2 pair in which one side is paid in full and the other at its minimum. */
export function pairOutcomes({ most, least }: Pick<RangeDeposit, 'most' | 'least'>): readonly DepositOutcome[] {
  const outcome = (amount0: bigint, amount1: bigint): DepositOutcome => {
    return { amount0, amount1, liquidity: integerSqrt(amount0 * amount1) }
  }
  return [outcome(most.amount0, least.amount1), outcome(least.amount0, most.amount1)]
}

/**
 * What a deposit into a range pays and becomes at a price of its pool, whatever its limits say. All zero where the contract would
 * revert: next to an edge, amounts may make more liquidity than fits 128 bits.
 */
export function rangeOutcomeAt(
  { liquidity: fixed, most, ticks }: Pick<RangeDeposit, 'liquidity' | 'most' | 'ticks'>,
  price: bigint,
): DepositOutcome {
  const { lower, upper } = endsOf(ticks)
  try {
    const liquidity = fixed ?? getLiquidityForAmounts(price, lower, upper, most.amount0, most.amount1)
    return { ...getAmountsForLiquidity(price, lower, upper, liquidity, false), liquidity }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    return { amount0: 0n, amount1: 0n, liquidity: 0n }
  }
}

const nothing: Outcome = {
  leaves: { tokens: new Map(), positions: [], shares: [] },
  arrives: { tokens: new Map(), positions: [], shares: [] },
}

function partOutcome(deposit: SimulatedDeposit, outcome: DepositOutcome | null, moved: Moved): Outcome {
  const { pool, position } = deposit
  if (outcome === null || pool === null) return nothing
  const { amount0, amount1, liquidity } = outcome
  const tokens = new Map([
    [pool.token0, amount0],
    [pool.token1, amount1],
  ])
  const leaves = heldOf(tokens, moved)
  if (position !== null) return { leaves, arrives: { ...nothing.arrives, positions: [{ ...position, liquidity }] } }
  return { leaves, arrives: { ...nothing.arrives, shares: sharesOf(deposit, outcome) } }
}

/** Those that came, or for another outcome in proportion to the root of the product of both amounts; the pair holds what it holds. */
function sharesOf({ state, atPrice }: SimulatedDeposit, outcome: DepositOutcome): readonly PairShares[] {
  if (state === null || state.pair === null || atPrice === null) return []
  const root = integerSqrt(atPrice.amount0 * atPrice.amount1)
  if (root === 0n) return []
  const amount = outcome === atPrice ? atPrice.liquidity : (atPrice.liquidity * outcome.liquidity) / root
  return [{ pair: state.id.toLowerCase(), token0: state.token0, token1: state.token1, amount, ...state.pair }]
}

function lossAt(deposit: SimulatedDeposit, end: DepositOutcome | null, moved: Moved, prices: TrustedPrices): bigint {
  const { leaves, arrives } = partOutcome(deposit, end, moved)
  return valueAt(leaves, prices, 'mid') - valueAt(arrives, prices, 'mid')
}

function sumOf(one: Outcome, other: Outcome): Outcome {
  const tokens = new Map(one.leaves.tokens)
  for (const [token, amount] of other.leaves.tokens) tokens.set(token, (tokens.get(token) ?? 0n) + amount)
  return {
    leaves: { ...nothing.leaves, tokens, shares: [...one.leaves.shares, ...other.leaves.shares] },
    arrives: {
      ...nothing.arrives,
      positions: [...one.arrives.positions, ...other.arrives.positions],
      shares: [...one.arrives.shares, ...other.arrives.shares],
    },
  }
}

/** What is sent along pays for the pool's native currency, or for the wrapped token; the rest leaves too. */
function withUnreturned(outcome: Outcome, unreturnedWei: bigint, { wrappedNative }: Moved): Outcome {
  const native = outcome.leaves.tokens.get(zeroAddress) ?? 0n
  const paid = native + (outcome.leaves.tokens.get(wrappedNative) ?? 0n)
  if (paid >= unreturnedWei) return outcome
  const tokens = new Map(outcome.leaves.tokens).set(zeroAddress, native + unreturnedWei - paid)
  return { ...outcome, leaves: { ...outcome.leaves, tokens } }
}

type Tokens = Pick<PoolIdentity, 'id' | 'token0' | 'token1'>

/** What left of both tokens, and the shares that came; native currency stands for the wrapped token where that did not move. */
function depositedPair({ id, token0, token1 }: Tokens, moved: Moved): DepositOutcome {
  const shares = moved.deltas.get(id.toLowerCase()) ?? moved.paid.get(id.toLowerCase()) ?? 0n
  return {
    amount0: positive(-changeOf(token0, moved)),
    amount1: positive(-changeOf(token1, moved)),
    liquidity: positive(shares),
  }
}

function changeOf(token: string, { deltas, wrappedNative }: Moved): bigint {
  const own = deltas.get(token) ?? 0n
  return own === 0n && token === wrappedNative ? (deltas.get(zeroAddress) ?? 0n) : own
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

/** What a deposit pays and becomes, in the pool's order; `liquidity` is shares in a v2 pair, up to a factor. */
type DepositOutcome = Pair & { readonly liquidity: bigint }

type RangeDeposit = {
  readonly ticks: Ticks
  /** What v4 fixes; `null` where it follows from the amounts. */
  readonly liquidity: bigint | null
  readonly most: Pair
  readonly least: Pair
}

function endsOf({ tickLower, tickUpper }: Ticks): { readonly lower: bigint; readonly upper: bigint } {
  return { lower: getSqrtPriceAtTick(tickLower), upper: getSqrtPriceAtTick(tickUpper) }
}

/**
 * The furthest price from `start` towards `end` that is permitted. It halves the ratio of both ends, not their distance: the upper
 * end of a wide range is so far away that halves of the distance would never come near `start`.
 */
export function furthest(
  start: bigint,
  end: bigint,
  isPermitted: (price: bigint) => boolean,
  times: number = halvings,
): bigint {
  if (isPermitted(end)) return end
  let [near, far] = [start, end]
  for (let halving = 0; halving < times; halving += 1) {
    const middle = integerSqrt(near * far)
    if (isPermitted(middle)) near = middle
    else far = middle
  }
  return near
}

/** They leave a hundred-thousandth of the price at most: all ticks together are 128 doublings. */
const halvings = 24

/**
 * The least native currency, or its wrapped form, that positions have paid out with liquidity that was taken out, by what they paid of the
 * other token: native currency leaves no logs, and what the balance grew by may be a gift that goes away with its block. Whatever
 * of the other token was no settled fee was liquidity at the price of the block, and so was its counterpart in native currency. 0 where
 * the positions are not of one pool of native currency.
 */
export function nativePaidOut(
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
  const heldAt = (price: bigint, side: number) =>
    total(lessened.map((one) => liquidityTakenOut(one, price)[side] ?? 0n))
  const fees = (side: number) => total(lessened.map((one) => settledFees.get(positionKey(one))?.fees[side] ?? 0n))
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

function liquidityTakenOut({ tickLower, tickUpper, liquidityBefore, liquidityAfter }: PositionState, price: bigint) {
  const edges = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)] as const
  const { amount0, amount1 } = getAmountsForLiquidity(price, ...edges, liquidityBefore - liquidityAfter, false)
  return [amount0, amount1] as const
}

function total(values: readonly bigint[]): bigint {
  return values.reduce((all, one) => all + one, 0n)
}
