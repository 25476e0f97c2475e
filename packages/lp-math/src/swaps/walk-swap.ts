import { LpMathError, requirePoolFeePips } from '../lp-math-error.ts'
import {
  requireAmount,
  requireLiquidity,
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
} from '../sqrt-price/sqrt-price.ts'
import {
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  MAX_TICK,
  MIN_TICK,
  requireTickSpacing,
} from '../ticks/ticks.ts'
import { divRoundingUp } from '../integers/integers.ts'

/**
 * The loop of a swap, exact input or exact output, that tells a visitor of each step's fee and of each initialised tick it crosses.
 * Source: v3-core `swap`.
 * @throws LpMathError as `swapThroughTicks`.
 */
export function walkSwap(options: SwapOptions, visitor: SwapVisitor): SwapResult {
  const { zeroForOne, feePips, exactIn = true, version = 'v3' } = options
  requireAmount(options.amountSpecified)
  requireLiquidity(options.liquidity)
  const limit = options.sqrtPriceLimitX96 ?? (zeroForOne ? MIN_SQRT_PRICE + 1n : MAX_SQRT_PRICE - 1n)
  requireLimitAhead(limit, options)
  const cursor = createTickCursor(options)
  let { sqrtPriceX96, tick, liquidity, amountSpecified: amountRemaining } = options
  let [amountIn, amountOut, feeAmount, crossed] = [0n, 0n, 0n, 0]

  while (amountRemaining > 0n && sqrtPriceX96 !== limit) {
    const next = cursor.next(tick)
    const sqrtPriceAtNext = getSqrtPriceAtTick(next.tick)
    const passesLimit = zeroForOne ? sqrtPriceAtNext < limit : sqrtPriceAtNext > limit
    const sqrtPriceTargetX96 = passesLimit ? limit : sqrtPriceAtNext
    const towards = { sqrtPriceX96, sqrtPriceTargetX96, liquidity, amountRemaining, exactIn, feePips, version }
    const step = computeSwapStep(towards)
    amountRemaining -= exactIn ? step.amountIn + step.feeAmount : step.amountOut
    amountIn += step.amountIn + step.feeAmount
    amountOut += step.amountOut
    feeAmount += step.feeAmount
    visitor.step(step, { sqrtPriceX96, tick, liquidity })
    if (step.sqrtPriceNextX96 === sqrtPriceAtNext) {
      if (next.liquidityNet !== null) {
        visitor.cross(next.tick)
        liquidity += zeroForOne ? -next.liquidityNet : next.liquidityNet
        requireLiquidity(liquidity)
        cursor.cross()
        crossed += 1
      }
      tick = zeroForOne ? next.tick - 1 : next.tick
    } else if (step.sqrtPriceNextX96 !== sqrtPriceX96) {
      tick = getTickAtSqrtPrice(step.sqrtPriceNextX96)
    }
    sqrtPriceX96 = step.sqrtPriceNextX96
  }
  const after = { sqrtPriceX96After: sqrtPriceX96, tickAfter: tick, liquidityAfter: liquidity }
  return { amountIn, amountOut, feeAmount, ...after, crossed }
}

/**
 * The pool's state (price Q64.96, the tick the contract reports, active liquidity), its whole fee in millionths of the input,
 * protocol's part included, its initialised ticks in rising order, and the amount in smallest units: of the input unless `exactIn` is
 * `false`.
 */
export type SwapOptions = {
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feePips: number
  ticks: readonly TickLiquidity[]
  amountSpecified: bigint
  /** `true` by default. */
  exactIn?: boolean
  zeroForOne: boolean
  sqrtPriceLimitX96?: bigint
  tickSpacing?: number
  /** Whose rounding of a step's fee, `v3` by default: what is paid and what comes out is the same in both. */
  version?: 'v3' | 'v4'
}

/** Amounts in smallest units: `amountIn` is what the trader pays, `feeAmount` (in the same token) included. */
export type SwapResult = {
  amountIn: bigint
  amountOut: bigint
  feeAmount: bigint
  sqrtPriceX96After: bigint
  tickAfter: number
  liquidityAfter: bigint
  crossed: number
}

export type SwapVisitor = {
  /** A step, and the pool as it was before it. */
  step(step: SwapStep, before: BeforeStep): void
  /** After the step that reached it. */
  cross(tick: number): void
}

/** Price, tick and active liquidity. */
export type BeforeStep = { readonly sqrtPriceX96: bigint; readonly tick: number; readonly liquidity: bigint }

function requireLimitAhead(limit: bigint, { zeroForOne, sqrtPriceX96 }: SwapOptions): void {
  if (limit <= MIN_SQRT_PRICE || limit >= MAX_SQRT_PRICE) {
    throw new LpMathError('SQRT_PRICE_OUT_OF_RANGE', 'A price limit lies between MIN_SQRT_PRICE and MAX_SQRT_PRICE.')
  }
  if (zeroForOne ? limit > sqrtPriceX96 : limit < sqrtPriceX96) {
    throw new LpMathError('SQRT_PRICE_LIMIT_PASSED', 'The price is beyond the limit before the swap begins.')
  }
}

/**
 * One swap step within a segment of constant liquidity, towards a target price that gives the direction.
 * To the unit v3's step, or with `version` v4's, which differs only in how it splits the last step's input between `amountIn` and
 * `feeAmount` (by the rounding of the price); their sum, `amountOut` and the price are the same. Source: v3 whitepaper 6.2.3;
 * SwapMath of v3-core and v4-core.
 * @throws LpMathError `FEE_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function computeSwapStep(options: SwapStepOptions): SwapStep {
  const { sqrtPriceX96, sqrtPriceTargetX96, liquidity, amountRemaining, exactIn, version = 'v3' } = options
  requireAmount(amountRemaining)
  requirePoolFeePips(options.feePips)
  const fee = BigInt(options.feePips)
  const zeroForOne = sqrtPriceX96 >= sqrtPriceTargetX96
  const inputDelta = zeroForOne ? getAmount0Delta : getAmount1Delta
  const outputDelta = zeroForOne ? getAmount1Delta : getAmount0Delta

  if (exactIn) {
    const lessFee = (amountRemaining * (ONE_MILLION - fee)) / ONE_MILLION
    const inputToTarget = inputDelta(sqrtPriceX96, sqrtPriceTargetX96, liquidity, true)
    const reached = lessFee >= inputToTarget
    const sqrtPriceNextX96 = reached
      ? sqrtPriceTargetX96
      : getNextSqrtPriceFromInput(sqrtPriceX96, liquidity, lessFee, zeroForOne)
    const last = () => (version === 'v4' ? lessFee : inputDelta(sqrtPriceX96, sqrtPriceNextX96, liquidity, true))
    const amountIn = reached ? inputToTarget : last()
    const amountOut = outputDelta(sqrtPriceX96, sqrtPriceNextX96, liquidity, false)
    // What a last step does not use is fee as well: the input is taken whole.
    const feeAmount = reached ? feeOn(amountIn, fee) : amountRemaining - amountIn
    return { sqrtPriceNextX96, amountIn, amountOut, feeAmount }
  }
  const outputToTarget = outputDelta(sqrtPriceX96, sqrtPriceTargetX96, liquidity, false)
  const reached = amountRemaining >= outputToTarget
  const sqrtPriceNextX96 = reached
    ? sqrtPriceTargetX96
    : getNextSqrtPriceFromOutput(sqrtPriceX96, liquidity, amountRemaining, zeroForOne)
  const amountIn = inputDelta(sqrtPriceX96, sqrtPriceNextX96, liquidity, true)
  return {
    sqrtPriceNextX96,
    amountIn,
    amountOut: reached ? outputToTarget : amountRemaining,
    feeAmount: feeOn(amountIn, fee),
  }
}

/** Prices Q64.96, amounts in smallest units, `feePips` in millionths of the input; `amountRemaining` is of the input if `exactIn`. */
export type SwapStepOptions = {
  sqrtPriceX96: bigint
  sqrtPriceTargetX96: bigint
  liquidity: bigint
  amountRemaining: bigint
  exactIn: boolean
  feePips: number
  /** `v3` by default. */
  version?: 'v3' | 'v4'
}

/** `amountIn` is without the fee; the trader pays `amountIn + feeAmount`. */
export type SwapStep = { sqrtPriceNextX96: bigint; amountIn: bigint; amountOut: bigint; feeAmount: bigint }

const ONE_MILLION = 1_000_000n

function feeOn(amountIn: bigint, fee: bigint): bigint {
  return divRoundingUp(amountIn * fee, ONE_MILLION - fee)
}

/**
 * Walks a pool's initialised ticks in the direction of a swap; with a tick spacing it also stops at the end of each bitmap word of 256
 * spacings, as the contracts do (TickBitmap of v3-core, `nextInitializedTickWithinOneWord`).
 * @throws LpMathError `TICKS_UNSORTED`, `TICK_SPACING_OUT_OF_RANGE`.
 */
function createTickCursor(options: CursorOptions): TickCursor {
  const { ticks, zeroForOne, tickSpacing } = options
  requireSorted(ticks)
  if (tickSpacing !== undefined) requireTickSpacing(tickSpacing)
  // Ticks before this index lie at or below the current tick.
  let below = countAtOrBelow(ticks, options.tick)
  return {
    next(tick) {
      const initialised = zeroForOne ? ticks[below - 1] : ticks[below]
      const edge = tickSpacing === undefined ? outermost(zeroForOne) : wordEdge(tick, tickSpacing, zeroForOne)
      const isInitialisedNext =
        initialised !== undefined && (zeroForOne ? initialised.tick >= edge : initialised.tick <= edge)
      return isInitialisedNext ? initialised : { tick: edge, liquidityNet: null }
    },
    cross() {
      below += zeroForOne ? -1 : 1
    },
  }
}

/** An initialised tick, and the liquidity that enters there for a rising price (leaves, if negative). */
export type TickLiquidity = { tick: number; liquidityNet: bigint }

export type TickCursor = {
  /** The next stop from a tick; `liquidityNet` is null where nothing is initialised. */
  next(tick: number): { tick: number; liquidityNet: bigint | null }
  /** Steps over the initialised tick that `next` gave. */
  cross(): void
}

type CursorOptions = {
  ticks: readonly TickLiquidity[]
  tick: number
  zeroForOne: boolean
  tickSpacing?: number
}

function requireSorted(ticks: readonly TickLiquidity[]): void {
  let previous = Number.NEGATIVE_INFINITY
  for (const { tick } of ticks) {
    if (tick <= previous) throw new LpMathError('TICKS_UNSORTED', 'The ticks are in rising order, each once.')
    previous = tick
  }
}

function countAtOrBelow(ticks: readonly TickLiquidity[], tick: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle]?.tick ?? Number.POSITIVE_INFINITY) <= tick) low = middle + 1
    else high = middle
  }
  return low
}

function outermost(zeroForOne: boolean): number {
  return zeroForOne ? MIN_TICK : MAX_TICK
}

function wordEdge(tick: number, tickSpacing: number, zeroForOne: boolean): number {
  const compressed = Math.floor(tick / tickSpacing)
  return zeroForOne
    ? Math.max((compressed >> 8) * 256 * tickSpacing, MIN_TICK)
    : Math.min((((compressed + 1) >> 8) * 256 + 255) * tickSpacing, MAX_TICK)
}
