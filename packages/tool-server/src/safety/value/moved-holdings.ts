import { getLiquidityForAmounts, getSqrtPriceAtTick, integerSqrt } from '@svc/lp-math'
import { zeroAddress } from 'viem'
import type { Pair, CallBounds, DepositBounds } from './call-bounds.ts'
import { type DepositOutcome, pairOutcomes, rangeOutcomes } from './deposit-outcomes.ts'
import type { Inspected, PoolAfter, PositionState } from './inspection.ts'
import type { PairShares, RangePosition } from './trusted-value.ts'
import type { Outcome } from './weigh-change.ts'

/**
 * What leaves a wallet and what arrives, as simulated and in the worst cases that the calldata permits: the least of every
 * trade, and every deposit at either end of the prices at which it may still be mined.
 */
export function outcomesOf(moved: Moved): readonly Outcome[] {
  const deposits = moved.bounds.deposits.map((bounds, index) => simulatedDeposit(bounds, index, moved))
  const simulated = simulatedOutcome(moved, deposits)
  const least = withLeastProceeds(simulated, moved)
  const ends = deposits.some(({ ends: [low] }) => low !== null)
    ? ([0, 1] as const).map((end) => withDepositsAt(least, deposits, end, moved))
    : [least]
  return [simulated, ...ends]
}

export type Moved = {
  readonly bounds: CallBounds
  readonly inspected: Inspected
  /** Net change of the wallet by lower-case token, native currency under the zero address. */
  readonly deltas: ReadonlyMap<string, bigint>
  /** What arrives at payees the operator lists, who are as good as the wallet. */
  readonly paid: ReadonlyMap<string, bigint>
  /** Pairs whose shares are among the deltas, as they stood before, by lower-case address. */
  readonly pairs: ReadonlyMap<string, Omit<PairShares, 'amount'>>
  /** Lower case. */
  readonly wrappedNative: string
}

/** A deposit as simulated, and at the ends of what its calldata permits. */
export type SimulatedDeposit = {
  readonly bounds: DepositBounds
  readonly position: Omit<RangePosition, 'liquidity'> | null
  readonly pool: PoolAfter | null
  readonly simulated: DepositOutcome | null
  readonly ends: readonly [DepositOutcome | null, DepositOutcome | null]
}

/** What a deposit of the calldata came to in the simulation. Its place among the others decides which announcement is its own. */
export function simulatedDeposit(bounds: DepositBounds, index: number, moved: Moved): SimulatedDeposit {
  const { inspected } = moved
  const state = inspected.positions.find(
    ({ contract, id }) => id === bounds.positionId && contract.toLowerCase() === bounds.contract.toLowerCase(),
  )
  const identity = bounds.pool ?? state?.pool ?? null
  const pool = inspected.pools.find(({ id }) => id.toLowerCase() === identity?.id.toLowerCase()) ?? null
  const nothing = { bounds, position: null, pool, simulated: null, ends: [null, null] } as const
  if (identity === null) return nothing
  if (bounds.version === 'v2') {
    const [low = null, high = null] = pairOutcomes(bounds)
    return { ...nothing, simulated: depositedPair(identity, moved), ends: [low, high] }
  }
  const ticks = bounds.ticks ?? state ?? null
  if (ticks === null) return nothing
  const { tickLower, tickUpper } = ticks
  const position = { token0: identity.token0, token1: identity.token1, tickLower, tickUpper }
  const price = pool?.sqrtPriceX96 ?? null
  if (price === null && state === undefined) return { ...nothing, position }
  const liquidity = liquidityOf(bounds, index, state, price ?? 0n, ticks, moved)
  if (price === null) return { ...nothing, position, simulated: { ...amountsPaid(identity, moved), liquidity } }
  const [low = null, high = null] = rangeOutcomes({ ...bounds, ticks }, price)
  return { bounds, position, pool, simulated: { ...amountsPaid(identity, moved), liquidity }, ends: [low, high] }
}

function liquidityOf(
  bounds: DepositBounds,
  index: number,
  state: PositionState | undefined,
  sqrtPriceX96: bigint,
  { tickLower, tickUpper }: Pick<PositionState, 'tickLower' | 'tickUpper'>,
  { inspected, bounds: all }: Moved,
): bigint {
  if (state !== undefined) return positive(state.liquidityAfter - state.liquidityBefore)
  if (bounds.liquidity !== null) return bounds.liquidity
  const earlier = all.deposits.slice(0, index).filter((one) => isMint(one) && one.contract === bounds.contract).length
  const announced = inspected.minted.filter(({ contract }) => contract.toLowerCase() === bounds.contract.toLowerCase())
  const own = announced[earlier]
  if (own !== undefined) return own.liquidity
  // A simulation without logs: what the most it may take makes at the pool's price, which is what the contract computes.
  const [lower, upper] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  return getLiquidityForAmounts(sqrtPriceX96, lower, upper, bounds.most.amount0, bounds.most.amount1)
}

function isMint({ version, positionId }: DepositBounds): boolean {
  return version === 'v3' && positionId === null
}

type Tokens = { readonly token0: string; readonly token1: string }

/** What left of both tokens; native currency stands for the wrapped token where that did not move. */
function amountsPaid({ token0, token1 }: Tokens, moved: Moved): Pair {
  return { amount0: positive(-changeOf(token0, moved)), amount1: positive(-changeOf(token1, moved)) }
}

function depositedPair(pool: Tokens & { readonly id: string }, moved: Moved): DepositOutcome {
  return { ...amountsPaid(pool, moved), liquidity: positive(moved.deltas.get(pool.id.toLowerCase()) ?? 0n) }
}

function changeOf(token: string, { deltas, wrappedNative }: Moved): bigint {
  const own = deltas.get(token) ?? 0n
  return own === 0n && token === wrappedNative ? (deltas.get(zeroAddress) ?? 0n) : own
}

function simulatedOutcome(moved: Moved, deposits: readonly SimulatedDeposit[]): Outcome {
  const leaves = { tokens: new Map<string, bigint>(), positions: positionsLeaving(moved), shares: [] as PairShares[] }
  const arrives = {
    tokens: new Map<string, bigint>(),
    positions: deposits.flatMap(({ position, simulated }) =>
      position === null || simulated === null ? [] : [{ ...position, liquidity: simulated.liquidity }],
    ),
    shares: [] as PairShares[],
  }
  for (const [key, delta] of moved.deltas) {
    if (delta === 0n) continue
    const side = delta < 0n ? leaves : arrives
    const amount = delta < 0n ? -delta : delta
    const pair = pairOf(key, moved)
    if (pair === null) side.tokens.set(key, amount)
    else side.shares.push({ ...pair, amount })
  }
  for (const [key, amount] of moved.paid) arrives.tokens.set(key, (arrives.tokens.get(key) ?? 0n) + amount)
  return { leaves, arrives }
}

function positionsLeaving({ inspected }: Moved): readonly RangePosition[] {
  return inspected.positions.flatMap(({ pool, tickLower, tickUpper, liquidityBefore, liquidityAfter }) => {
    const liquidity = liquidityBefore - liquidityAfter
    return liquidity <= 0n ? [] : [{ token0: pool.token0, token1: pool.token1, tickLower, tickUpper, liquidity }]
  })
}

/** A pair as it stands after the steps, which a new one did not before them. */
function pairOf(key: string, { inspected, pairs }: Moved): Omit<PairShares, 'amount'> | null {
  const after = inspected.pools.find(({ id, pair }) => pair !== null && id.toLowerCase() === key)
  if (after?.pair) return { pair: key, token0: after.token0, token1: after.token1, ...after.pair }
  return pairs.get(key) ?? null
}

/** Of what a trade brings, no more than the calldata makes sure of. */
function withLeastProceeds(outcome: Outcome, { bounds, wrappedNative }: Moved): Outcome {
  const tokens = new Map(outcome.arrives.tokens)
  const least = new Map<string, bigint>()
  for (const { tokenOut, minOut } of bounds.trades) {
    const arrivesAs = tokens.has(tokenOut) ? tokenOut : tokenOut === wrappedNative ? zeroAddress : tokenOut
    least.set(arrivesAs, (least.get(arrivesAs) ?? 0n) + minOut)
  }
  for (const [token, amount] of least) {
    const simulated = tokens.get(token)
    if (simulated !== undefined && amount < simulated) tokens.set(token, amount)
  }
  return { ...outcome, arrives: { ...outcome.arrives, tokens } }
}

/** The outcome with every deposit at one end of what its calldata permits, in place of what was simulated. */
function withDepositsAt(
  { leaves, arrives }: Outcome,
  deposits: readonly SimulatedDeposit[],
  end: 0 | 1,
  moved: Moved,
): Outcome {
  const paid = new Map(leaves.tokens)
  const positions: RangePosition[] = []
  const shares = arrives.shares.map((share) => ({ ...share }))
  for (const { bounds, position, pool, simulated, ends } of deposits) {
    const at = ends[end] ?? simulated
    if (at === null || simulated === null) continue
    const tokens = position ?? pool
    if (tokens !== null) {
      replacePaid(paid, tokens.token0, simulated.amount0, at.amount0, moved)
      replacePaid(paid, tokens.token1, simulated.amount1, at.amount1, moved)
    }
    if (position !== null) positions.push({ ...position, liquidity: at.liquidity })
    else if (bounds.pool !== null) scaleShares(shares, bounds.pool.id, simulated, at)
  }
  return { leaves: { ...leaves, tokens: paid }, arrives: { ...arrives, positions, shares } }
}

function replacePaid(
  paid: Map<string, bigint>,
  token: string,
  simulated: bigint,
  at: bigint,
  { wrappedNative }: Moved,
): void {
  const key = !paid.has(token) && token === wrappedNative && paid.has(zeroAddress) ? zeroAddress : token
  paid.set(key, positive((paid.get(key) ?? 0n) - simulated + at))
}

/** Shares are as much as the root of the product of both amounts; the pair holds what it holds. */
function scaleShares(shares: PairShares[], id: string, simulated: DepositOutcome, at: DepositOutcome): void {
  const index = shares.findIndex(({ pair }) => pair === id.toLowerCase())
  const own = shares[index]
  if (own === undefined) return
  const root = integerSqrt(simulated.amount0 * simulated.amount1)
  if (root > 0n) shares[index] = { ...own, amount: (own.amount * at.liquidity) / root }
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
