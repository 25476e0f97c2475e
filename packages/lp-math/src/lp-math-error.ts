/** Thrown when an argument lies outside what the pool contracts can hold or do; `code` says which bound was broken. */
export class LpMathError extends Error {
  override readonly name = 'LpMathError'
  readonly code: LpMathErrorCode

  constructor(code: LpMathErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Which bound an argument of {@link LpMathError} broke. */
export type LpMathErrorCode =
  | 'AMOUNT_NEGATIVE'
  | 'COUNT_OUT_OF_RANGE'
  | 'BACKTEST_OPTION_OUT_OF_RANGE'
  | 'BARS_MALFORMED'
  | 'DECIMALS_OUT_OF_RANGE'
  | 'DRIFT_OUT_OF_RANGE'
  | 'FEE_OUT_OF_RANGE'
  | 'FEE_UNKNOWN'
  | 'HOOK_CHANGES_AMOUNTS'
  | 'HOOK_MALFORMED'
  | 'LIQUIDITY_OUT_OF_RANGE'
  | 'POOL_EVENTS_INCONSISTENT'
  | 'PRICE_MALFORMED'
  | 'PRICE_OUT_OF_RANGE'
  | 'PROBABILITY_OUT_OF_RANGE'
  | 'RANGE_EMPTY'
  | 'RESERVES_INSUFFICIENT'
  | 'SEED_OUT_OF_RANGE'
  | 'SERIES_TOO_SHORT'
  | 'SIGMA_OUT_OF_RANGE'
  | 'SIMULATION_UNFINISHED'
  | 'SLIPPAGE_OUT_OF_RANGE'
  | 'SQRT_PRICE_LIMIT_PASSED'
  | 'SQRT_PRICE_OUT_OF_RANGE'
  | 'STRATEGY_MALFORMED'
  | 'SWAP_LOGS_INCONSISTENT'
  | 'TICK_OUT_OF_RANGE'
  | 'TICK_SPACING_OUT_OF_RANGE'
  | 'TICKS_UNSORTED'
  | 'VALUE_OUT_OF_RANGE'
  | 'YEARS_OUT_OF_RANGE'

/** Refuses what is no integer from `least` to `most`: `COUNT_OUT_OF_RANGE`. `field` names the argument. */
export function requireCount(value: number, field: string, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new LpMathError('COUNT_OUT_OF_RANGE', `${field} must be an integer from ${least} to ${most}, got ${value}`)
}

/** Refuses what is no fee of a swap, in millionths of the input: `FEE_OUT_OF_RANGE` unless at least 0 and below all of it. */
export function requireFeePips(feePips: number): void {
  if (feePips >= 0 && feePips < 1_000_000) return
  throw new LpMathError('FEE_OUT_OF_RANGE', `feePips is in millionths, at least 0 and below 1000000, got ${feePips}`)
}

/** The same of the fee of a pool, which its contract keeps as an integer. */
export function requirePoolFeePips(feePips: number): void {
  requireFeePips(feePips)
  if (Number.isInteger(feePips)) return
  throw new LpMathError('FEE_OUT_OF_RANGE', `feePips of a pool is an integer number of millionths, got ${feePips}`)
}
