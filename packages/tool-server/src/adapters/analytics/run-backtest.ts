import { LpMathError } from '@svc/lp-math'
import type { Replay, Replayed, WorkCaller, Workers } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/**
 * Replays strategies beside the other calls: what it takes grows with the bars and the moves.
 * @throws ToolError `INSUFFICIENT_HISTORY` for bars that no pool can have traded, `AMOUNT_TOO_SMALL` for an amount that buys no liquidity,
 * `SIMULATION_TIMEOUT`, `SERVER_BUSY`, `CANCELLED`
 */
export async function runBacktest(
  workers: Workers,
  replay: Replay,
  { signal, onProgress }: WorkCaller,
): Promise<Replayed> {
  return workers.run('replay', replay, { signal, onProgress }).catch((error: unknown) => {
    throw error instanceof LpMathError ? refusalOf(error) : error
  })
}

function refusalOf(error: LpMathError): Error {
  if (error.code === 'BARS_MALFORMED' || error.code === 'BACKTEST_OPTION_OUT_OF_RANGE') {
    const message = `The past of this pool holds what no pool can have: ${error.message}`
    return new ToolError('INSUFFICIENT_HISTORY', message, { cause: error })
  }
  if (error.code === 'LIQUIDITY_OUT_OF_RANGE') {
    return new ToolError('AMOUNT_TOO_SMALL', 'At the prices of this pool the amount buys no liquidity.', {
      cause: error,
    })
  }
  return error
}
