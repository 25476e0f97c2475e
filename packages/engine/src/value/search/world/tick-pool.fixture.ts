import {
  applyPoolEvent,
  createPoolState,
  feesOwed,
  getAmountsForLiquidity,
  getFeeGrowthInside,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  type PoolState,
  positionKey,
  swapInPool,
  swapThroughTicks,
} from '@svc/lp-math'

/** A range of ticks in a v3 or v4 pool, and whose it is. */
export type OwnedRange = { readonly owner: string; readonly tickLower: number; readonly tickUpper: number }

type Amounts = { readonly amount0: bigint; readonly amount1: bigint }

export function createTickPool(options: {
  readonly fee: number
  readonly tickSpacing: number
  readonly sqrtPriceX96: bigint
  readonly cardinality: number
  readonly timestamp: number
}): PoolState {
  const { fee, tickSpacing, sqrtPriceX96, cardinality, timestamp } = options
  const state = createPoolState({ feePips: fee, tickSpacing })
  const args = { sqrtPriceX96, tick: getTickAtSqrtPrice(sqrtPriceX96) }
  applyPoolEvent(state, { eventName: 'Initialize', args, timestamp })
  growOracle(state, cardinality, timestamp)
  return state
}

export function growOracle(state: PoolState, cardinality: number, timestamp: number): void {
  const observationCardinalityNextOld = state.observationCardinalityNext
  if (cardinality <= observationCardinalityNextOld) return
  const args = { observationCardinalityNextOld, observationCardinalityNextNew: cardinality }
  applyPoolEvent(state, { eventName: 'IncreaseObservationCardinalityNext', args, timestamp })
}

/** What an input gives now, without touching the pool; `amountIn` is what the pool takes of it. */
export function tickPoolQuote(state: PoolState, zeroForOne: boolean, amountIn: bigint): Swapped {
  const result = swapThroughTicks({ ...shapeOf(state), zeroForOne, amountSpecified: amountIn })
  return { amountIn: result.amountIn, amountOut: result.amountOut }
}

/** What comes out on the way to a price, without touching the pool. */
export function tickPoolOutputTo(state: PoolState, sqrtPriceX96: bigint): bigint {
  const zeroForOne = sqrtPriceX96 < state.sqrtPriceX96
  if (sqrtPriceX96 === state.sqrtPriceX96) return 0n
  const sqrtPriceLimitX96 = sqrtPriceX96
  return swapThroughTicks({ ...shapeOf(state), zeroForOne, amountSpecified: endless, sqrtPriceLimitX96 }).amountOut
}

export function swapInTickPool(
  state: PoolState,
  order: {
    readonly zeroForOne: boolean
    readonly amountIn: bigint
    readonly limit?: bigint
    readonly timestamp: number
  },
): Swapped {
  const { zeroForOne, amountIn, limit, timestamp } = order
  const bound = limit === undefined ? {} : { sqrtPriceLimitX96: limit }
  const fields = swapInPool(state, { zeroForOne, exactIn: true, amountSpecified: amountIn, ...bound, timestamp })
  return zeroForOne
    ? { amountIn: fields.amount0, amountOut: -fields.amount1 }
    : { amountIn: fields.amount1, amountOut: -fields.amount0 }
}

type Swapped = { readonly amountIn: bigint; readonly amountOut: bigint }

export function mintCost(state: PoolState, range: OwnedRange, liquidity: bigint): Amounts {
  return amountsAt(state.sqrtPriceX96, range, liquidity, true)
}

/** Gives what was paid. */
export function mintInTickPool(state: PoolState, range: OwnedRange, liquidity: bigint, timestamp: number): Amounts {
  const amounts = mintCost(state, range, liquidity)
  applyPoolEvent(state, { eventName: 'Mint', args: { ...range, amount: liquidity, ...amounts }, timestamp })
  return amounts
}

/** Takes liquidity out, and with it all fees; gives what came back. */
export function burnInTickPool(state: PoolState, range: OwnedRange, liquidity: bigint, timestamp: number): Amounts {
  const amounts = amountsAt(state.sqrtPriceX96, range, liquidity, false)
  applyPoolEvent(state, { eventName: 'Burn', args: { ...range, amount: liquidity, ...amounts }, timestamp })
  const position = state.positions.get(positionKey(range))
  const pendingRevocations = { amount0: position?.tokensOwed0 ?? 0n, amount1: position?.tokensOwed1 ?? 0n }
  applyPoolEvent(state, { eventName: 'Collect', args: { ...range, ...pendingRevocations }, timestamp })
  return pendingRevocations
}

/** Fees for whoever is in range; v3 takes them as what a flash loan pays. False where nobody is. */
export function donateToTickPool(state: PoolState, paid0: bigint, paid1: bigint, timestamp: number): boolean {
  if (state.liquidity === 0n) return false
  applyPoolEvent(state, { eventName: 'Flash', args: { paid0, paid1 }, timestamp })
  return true
}

export function liquidityOf(state: PoolState, range: OwnedRange): bigint {
  return state.positions.get(positionKey(range))?.liquidity ?? 0n
}

/** Fees a position has earned and not collected. */
export function feesOf(state: PoolState, range: OwnedRange): Amounts {
  const position = state.positions.get(positionKey(range))
  const lower = state.ticks.find(({ tick }) => tick === range.tickLower)
  const upper = state.ticks.find(({ tick }) => tick === range.tickUpper)
  if (position === undefined) return { amount0: 0n, amount1: 0n }
  const { liquidity, tokensOwed0: amount0, tokensOwed1: amount1 } = position
  if (lower === undefined || upper === undefined || liquidity === 0n) return { amount0, amount1 }
  const { feeGrowthGlobal0X128, feeGrowthGlobal1X128, tick: tickCurrent } = state
  const growth = { feeGrowthGlobal0X128, feeGrowthGlobal1X128, lower, upper }
  const inside = getFeeGrowthInside({ tickCurrent, tickLower: lower.tick, tickUpper: upper.tick, ...growth })
  return {
    amount0: amount0 + feesOwed(liquidity, inside.feeGrowthInside0X128, position.feeGrowthInside0LastX128),
    amount1: amount1 + feesOwed(liquidity, inside.feeGrowthInside1X128, position.feeGrowthInside1LastX128),
  }
}

export function amountsAt(
  sqrtPriceX96: bigint,
  range: Pick<OwnedRange, 'tickLower' | 'tickUpper'>,
  liquidity: bigint,
  roundUp: boolean,
): Amounts {
  const [lower, upper] = [getSqrtPriceAtTick(range.tickLower), getSqrtPriceAtTick(range.tickUpper)]
  return getAmountsForLiquidity(sqrtPriceX96, lower, upper, liquidity, roundUp)
}

function shapeOf({ sqrtPriceX96, tick, liquidity, feePips, tickSpacing, ticks }: PoolState) {
  return { sqrtPriceX96, tick, liquidity, feePips, tickSpacing, ticks }
}

/** More than any pool takes: the swap ends at its limit. */
const endless = 1n << 200n
