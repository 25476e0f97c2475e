import type { BacktestOptions } from '@svc/lp-math'
import type { CsvPool } from './csv/csv-pool.ts'

/** What a replay must know beside the bars. */
export function replayOptions(pool: CsvPool, amountUsd: number): BacktestOptions {
  const { feePips, protocolFeeShare, tickSpacing, decimals0, decimals1, baseToken, quoteUsd, gasUsd } = pool
  return {
    startValueUsd: amountUsd,
    feePips,
    protocolFeeShare,
    tickSpacing,
    decimals0,
    decimals1,
    baseToken,
    quoteUsd,
    gasUsd: { open: gasUsd, close: gasUsd, rebalance: 2 * gasUsd },
  }
}
