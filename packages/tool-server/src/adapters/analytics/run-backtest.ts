import { setImmediate } from 'node:timers/promises'
import {
  LpMathError,
  replayStrategies,
  type BacktestOptions,
  type BacktestResult,
  type BacktestStrategy,
  type Bars,
} from '@svc/lp-math'
import { ToolError } from '../../tool-error.ts'

/**
 * Replays strategies one after the other and lets other calls in between: what one takes grows with its bars and its moves.
 * @throws ToolError `INSUFFICIENT_HISTORY` for bars that no pool can have traded, `AMOUNT_TOO_SMALL` for an amount that buys no liquidity,
 * `CANCELLED`
 */
export async function runBacktest(
  bars: Bars,
  strategies: readonly BacktestStrategy[],
  options: BacktestOptions,
  signal: AbortSignal,
): Promise<BacktestResult> {
  const results: BacktestResult[] = []
  for (const strategy of strategies) {
    await setImmediate()
    if (signal.aborted) throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
    results.push(replayed(bars, strategy, options))
  }
  const [first] = results
  if (first === undefined) throw new TypeError('a backtest has a strategy')
  return { ...first, strategies: results.flatMap((result) => result.strategies) }
}

function replayed(bars: Bars, strategy: BacktestStrategy, options: BacktestOptions): BacktestResult {
  try {
    return replayStrategies(bars, [strategy], options)
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    if (error.code === 'BARS_MALFORMED' || error.code === 'BACKTEST_OPTION_OUT_OF_RANGE') {
      throw new ToolError(
        'INSUFFICIENT_HISTORY',
        `The past of this pool holds what no pool can have: ${error.message}`,
        {
          cause: error,
        },
      )
    }
    if (error.code === 'LIQUIDITY_OUT_OF_RANGE') {
      throw new ToolError('AMOUNT_TOO_SMALL', 'At the prices of this pool the amount buys no liquidity.', {
        cause: error,
      })
    }
    throw error
  }
}
