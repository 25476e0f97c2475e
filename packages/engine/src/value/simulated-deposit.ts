import { integerSqrt } from '@svc/lp-math'
import { zeroAddress } from 'viem'
import type { CallBounds } from './call-bounds.ts'
import type { DepositBounds } from './deposit-bounds.ts'
import { type DepositOutcome, pairOutcomes, rangeOutcomes } from './deposit-outcomes.ts'
import { heldOf, type Moved } from './moved.ts'
import type { PoolAfter } from './inspection.ts'
import type { PoolIdentity } from './pool-identity.ts'
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

const nothing: Outcome = {
  leaves: { tokens: new Map(), positions: [], shares: [] },
  arrives: { tokens: new Map(), positions: [], shares: [] },
}

function partOutcome(deposit: SimulatedDeposit, outcome: DepositOutcome | null, moved: Moved): Outcome {
  const { pool, position } = deposit
  if (outcome === null || pool === null) return nothing
  const { amount0, amount1, liquidity } = outcome
  const tokens = new Map([
    [pool.token0 === zeroAddress ? moved.wrappedNative : pool.token0, amount0],
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

function withUnreturned(outcome: Outcome, unreturnedWei: bigint, { wrappedNative }: Moved): Outcome {
  const paid = outcome.leaves.tokens.get(wrappedNative) ?? 0n
  if (paid >= unreturnedWei) return outcome
  const tokens = new Map(outcome.leaves.tokens).set(wrappedNative, unreturnedWei)
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
