import { LpMathError } from '../lp-math-error.ts'
import { requireLiquidity } from '../sqrt-price/sqrt-price.ts'

/**
 * Fees (smallest units, rounded down) a liquidity earned while the growth inside its range (Q128.128, modulo 2^256) went from `last`
 * to `now`. Source: v3 whitepaper eq. 6.28; Position of v3-core (cut to 128 bits there) and v4-core.
 * @throws LpMathError `LIQUIDITY_OUT_OF_RANGE`.
 */
export function feesOwed(liquidity: bigint, feeGrowthInsideNowX128: bigint, feeGrowthInsideLastX128: bigint): bigint {
  requireLiquidity(liquidity)
  const growth = BigInt.asUintN(256, feeGrowthInsideNowX128 - feeGrowthInsideLastX128)
  return BigInt.asUintN(128, (growth * liquidity) >> 128n)
}

/**
 * Fee growth per unit of liquidity (Q128.128) inside a range, from the pool's global growth and the growth outside its two ticks.
 * All of it counts modulo 2^256, as in the contracts: only differences of results mean anything.
 * Source: v3 whitepaper eq. 6.17 to 6.19; Tick of v3-core, StateLibrary of v4-core.
 * @throws LpMathError `RANGE_EMPTY` unless `tickLower` is below `tickUpper`.
 */
export function getFeeGrowthInside(options: FeeGrowthInsideOptions): FeeGrowthInside {
  const { tickCurrent, tickLower, tickUpper, lower, upper } = options
  if (!(tickLower < tickUpper)) throw new LpMathError('RANGE_EMPTY', 'tickLower is below tickUpper.')
  const inside = (global: bigint, outsideLower: bigint, outsideUpper: bigint): bigint => {
    const below = tickCurrent >= tickLower ? outsideLower : global - outsideLower
    const above = tickCurrent < tickUpper ? outsideUpper : global - outsideUpper
    return BigInt.asUintN(256, global - below - above)
  }
  return {
    feeGrowthInside0X128: inside(
      options.feeGrowthGlobal0X128,
      lower.feeGrowthOutside0X128,
      upper.feeGrowthOutside0X128,
    ),
    feeGrowthInside1X128: inside(
      options.feeGrowthGlobal1X128,
      lower.feeGrowthOutside1X128,
      upper.feeGrowthOutside1X128,
    ),
  }
}

/** As the contracts give them: `lower` and `upper` are the two ticks' own records, Q128.128 per unit of liquidity. */
export type FeeGrowthInsideOptions = {
  tickCurrent: number
  tickLower: number
  tickUpper: number
  feeGrowthGlobal0X128: bigint
  feeGrowthGlobal1X128: bigint
  lower: FeeGrowthOutside
  upper: FeeGrowthOutside
}

/** Fee growth per unit of liquidity (Q128.128, modulo 2^256) on the other side of a tick, as its record holds it. */
export type FeeGrowthOutside = { feeGrowthOutside0X128: bigint; feeGrowthOutside1X128: bigint }

/** Fee growth per unit of liquidity (Q128.128, modulo 2^256) inside a range, for either token. */
export type FeeGrowthInside = { feeGrowthInside0X128: bigint; feeGrowthInside1X128: bigint }

/**
 * The whole fee of a v4 swap in millionths of the input: the protocol's part first, the liquidity providers' on the rest, rounded up.
 * Source: ProtocolFeeLibrary `calculateSwapFee` of v4-core.
 * @throws LpMathError `FEE_OUT_OF_RANGE` unless both are integers from 0 to 1,000,000.
 */
export function v4SwapFee(protocolFeePips: number, lpFeePips: number): number {
  requirePips(protocolFeePips, 'protocolFeePips')
  requirePips(lpFeePips, 'lpFeePips')
  return protocolFeePips + lpFeePips - Math.floor((protocolFeePips * lpFeePips) / 1_000_000)
}

function requirePips(pips: number, field: string): void {
  if (Number.isInteger(pips) && pips >= 0 && pips <= 1_000_000) return
  throw new LpMathError('FEE_OUT_OF_RANGE', `${field} is an integer number of millionths from 0 to 1000000.`)
}
