import { LpMathError } from '../lp-math-error.ts'

/** A rule for a position: how wide its range is around the price, and when it is moved. */
export type BacktestStrategy = {
  readonly name: string
  /** Full width of the range in percent of the price, below 200: 10 is 5 % to each side. `null` is the full range. */
  readonly rangePct: number | null
  /** Share of the trailing 24 hours out of range, in percent, at which the position is moved; `null` is never. */
  readonly rebalanceThresholdPct: number | null
}

/** @throws LpMathError `STRATEGY_MALFORMED`, naming the strategy and its member. */
export function checkStrategies(strategies: readonly BacktestStrategy[]): void {
  if (strategies.length === 0) throw malformed('strategies holds at least one strategy.')
  const names = new Set<string>()
  for (const [index, { name, rangePct, rebalanceThresholdPct }] of strategies.entries()) {
    if (name === '') throw malformed(`strategies[${index}].name is not empty.`)
    if (names.has(name)) throw malformed(`strategies[${index}].name is not that of an earlier strategy.`)
    names.add(name)
    if (rangePct !== null && !(rangePct > 0 && rangePct < 200)) {
      throw malformed(`strategies[${index}].rangePct is above 0 and below 200, or null for the full range.`)
    }
    if (rebalanceThresholdPct !== null && !(rebalanceThresholdPct >= 0 && rebalanceThresholdPct <= 100)) {
      throw malformed(`strategies[${index}].rebalanceThresholdPct is within 0 and 100, or null for never.`)
    }
  }
}

function malformed(message: string): LpMathError {
  return new LpMathError('STRATEGY_MALFORMED', message)
}
