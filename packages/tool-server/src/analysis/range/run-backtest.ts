import { LpMathError } from '@svc/lp-math'
import type { Replay, Replayed, WorkCaller, Workers } from '../../ports/workers.ts'
import { ToolError } from '@svc/amm'

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
    if (error instanceof ToolError && error.code === 'SIMULATION_TIMEOUT') throw timedOut(error, replay)
    throw error instanceof LpMathError ? refusalOf(error) : error
  })
}

function timedOut({ code, message, suggestion, details }: ToolError, { bars, strategies }: Replay): ToolError {
  const asked = { bars: bars.startsAt.length, strategies: strategies.length }
  const detail = {
    field: 'startTime',
    message: `${asked.strategies} strategies over ${asked.bars} bars.`,
    accepted: 'a shorter period, or fewer strategies',
    ...asked,
  }
  return new ToolError(code, message, { suggestion, details: [detail, ...details] })
}

function refusalOf(error: LpMathError): Error {
  if (error.code === 'BARS_MALFORMED' || error.code === 'BACKTEST_OPTION_OUT_OF_RANGE') {
    const message = `The past of this pool holds what no pool can have: ${error.message}`
    return new ToolError('INSUFFICIENT_HISTORY', message, {
      details: [{ field: 'pool', message, accepted: 'another pool, or another period' }],
      suggestion: 'Choose another pool or another period; get_price_history shows what is known of this one.',
      cause: error,
    })
  }
  if (error.code === 'LIQUIDITY_OUT_OF_RANGE') {
    const message = 'At the prices of this pool the amount buys no liquidity.'
    return new ToolError('AMOUNT_TOO_SMALL', message, {
      details: [{ field: 'amount', message, accepted: 'a larger amount' }],
      cause: error,
    })
  }
  return error
}
