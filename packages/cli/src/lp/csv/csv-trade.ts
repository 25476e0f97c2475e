import { worthOfBars } from '@svc/lp-math'
import type { CsvPool } from './csv-pool.ts'

/** What a pool traded and paid its liquidity providers in each bar, in whole tokens of the quote. */
export function csvTrade(pool: CsvPool): CsvTrade {
  const { bars, baseToken, feePips, protocolFeeShare } = pool
  const { amount0In: amount0, amount1In: amount1, liquidity, feeGrowth } = bars
  const inQuote = (amounts: { readonly amount0: Float64Array; readonly amount1: Float64Array }) =>
    worthOfBars(bars, amounts, baseToken === 0 ? 1 : 0).map((worth) => worth / 10 ** quoteDecimals(pool))
  const volumes = inQuote({ amount0, amount1 })
  if (feeGrowth === null)
    return { volumes, fees: volumes.map((volume) => (volume * feePips * (1 - protocolFeeShare)) / 1e6) }
  const paid = (growth: Float64Array) => growth.map((perUnit, bar) => perUnit * (liquidity[bar] ?? 0))
  return { volumes, fees: inQuote({ amount0: paid(feeGrowth.token0), amount1: paid(feeGrowth.token1) }) }
}

export type CsvTrade = { readonly volumes: Float64Array; readonly fees: Float64Array }

function quoteDecimals({ baseToken, decimals0, decimals1 }: CsvPool): number {
  return baseToken === 0 ? decimals1 : decimals0
}
