import { LpMathError } from '../lp-math-error.ts'
import { MAX_UINT256, Q128 } from '../integers/integers.ts'

/** The lowest tick of v3 and v4 pools. */
export const MIN_TICK = -887272
/** The highest tick of v3 and v4 pools. */
export const MAX_TICK = 887272
/** The lowest sqrt price (Q64.96) of v3 and v4 pools, that of their lowest tick. */
export const MIN_SQRT_PRICE = 4295128739n
/** The sqrt price (Q64.96) of the highest tick of v3 and v4 pools, which they stay below. */
export const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342n

/** Refuses a tick spacing the contracts would refuse: an integer within 1 and 32767 (v4-core TickMath). */
export function requireTickSpacing(tickSpacing: number): void {
  if (!Number.isInteger(tickSpacing) || tickSpacing < 1 || tickSpacing > 32767) {
    throw new LpMathError('TICK_SPACING_OUT_OF_RANGE', 'A tick spacing is an integer within 1 and 32767.')
  }
}

/**
 * The widest range a position may have at a tick spacing: the outermost multiples within MIN_TICK and MAX_TICK.
 * @throws LpMathError `TICK_SPACING_OUT_OF_RANGE`.
 */
export function fullRangeTicks(tickSpacing: number): { tickLower: number; tickUpper: number } {
  requireTickSpacing(tickSpacing)
  const tickUpper = Math.floor(MAX_TICK / tickSpacing) * tickSpacing
  return { tickLower: -tickUpper, tickUpper }
}

/**
 * The multiple of `tickSpacing` nearest to `tick` (halves go up) that lies within MIN_TICK and MAX_TICK.
 * @throws LpMathError `TICK_OUT_OF_RANGE` or `TICK_SPACING_OUT_OF_RANGE`.
 */
export function nearestUsableTick(tick: number, tickSpacing: number): number {
  requireTickSpacing(tickSpacing)
  if (!Number.isInteger(tick) || tick < MIN_TICK || tick > MAX_TICK) {
    throw new LpMathError('TICK_OUT_OF_RANGE', `A tick is an integer within ${MIN_TICK} and ${MAX_TICK}.`)
  }
  const rounded = Math.round(tick / tickSpacing) * tickSpacing
  if (rounded < MIN_TICK) return rounded + tickSpacing
  if (rounded > MAX_TICK) return rounded - tickSpacing
  return rounded === 0 ? 0 : rounded
}

/**
 * A tick range seen from the other order of the two tokens: the price inverts, so the ticks change sign and place.
 * Its own inverse. Ticks found in the caller's order are thus turned into the pool's order exactly, without inverting a price.
 */
export function invertTicks(range: TickRange): TickRange {
  return { tickLower: negate(range.tickUpper), tickUpper: negate(range.tickLower) }
}

/** The two ticks of a range, the lower one first. */
export type TickRange = { tickLower: number; tickUpper: number }

function negate(tick: number): number {
  return tick === 0 ? 0 : -tick
}

/**
 * The tick spacing that goes with a fee in millionths: 100 -> 1, 500 -> 10, 3000 -> 60, 10000 -> 200.
 * Source: the v3 factory's `feeAmountTickSpacing`; by custom also v4's pools of these fees.
 * @throws LpMathError `FEE_UNKNOWN` for any other fee.
 */
export function tickSpacingForFee(feePips: number): number {
  switch (feePips) {
    case 100:
      return 1
    case 500:
      return 10
    case 3000:
      return 60
    case 10000:
      return 200
    default:
      throw new LpMathError('FEE_UNKNOWN', 'A fee with a customary tick spacing is one of 100, 500, 3000, 10000.')
  }
}

/**
 * The sqrt price (Q64.96) at a tick, to the bit what the contracts compute: sqrt(1.0001^tick) * 2^96.
 * Source: v3 whitepaper eq. 6.2; TickMath of v3-core and v4-core.
 * @throws LpMathError `TICK_OUT_OF_RANGE` unless tick is an integer within MIN_TICK and MAX_TICK.
 */
export function getSqrtPriceAtTick(tick: number): bigint {
  const distance = Math.abs(tick)
  if (!Number.isInteger(tick) || distance > MAX_TICK) {
    throw new LpMathError('TICK_OUT_OF_RANGE', `A tick is an integer within -${MAX_TICK} and ${MAX_TICK}.`)
  }
  let ratio = Q128
  let bits = distance
  for (const factor of FACTORS_X128) {
    if (bits === 0) break
    if ((bits & 1) === 1) ratio = (ratio * factor) >> 128n
    bits >>= 1
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio
  const floor = ratio >> 32n
  return (ratio & LOW_32) === 0n ? floor : floor + 1n
}

const LOW_32 = 0xffffffffn

/** sqrt(1.0001^-(2^i)) as Q128.128 for i = 0, 1, 2, ... */
const FACTORS_X128: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

/**
 * The greatest tick whose sqrt price (Q64.96) is at most `sqrtPriceX96`.
 * A logarithm in doubles gives the neighbourhood, exact comparisons decide. Source: v3 whitepaper eq. 6.8; TickMath of v3-core.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` unless at least `MIN_SQRT_PRICE` and below `MAX_SQRT_PRICE`.
 */
export function getTickAtSqrtPrice(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new LpMathError(
      'SQRT_PRICE_OUT_OF_RANGE',
      'A sqrt price is at least MIN_SQRT_PRICE and below MAX_SQRT_PRICE.',
    )
  }
  // Not at the top of the file: whoever takes a bound from here would carry what is computed on load.
  const lnQ96 = 96 * Math.LN2
  const lnSqrtTickBase = Math.log(1.0001) / 2
  const estimate = Math.floor((Math.log(Number(sqrtPriceX96)) - lnQ96) / lnSqrtTickBase)
  let tick = Math.min(Math.max(estimate, MIN_TICK), MAX_TICK - 1)
  while (getSqrtPriceAtTick(tick) > sqrtPriceX96) tick -= 1
  while (getSqrtPriceAtTick(tick + 1) <= sqrtPriceX96) tick += 1
  return tick
}
