import type { StrategyResult } from '@svc/lp-math'
import { percents } from '../analysis/percents.ts'
import type { PoolBars } from '@svc/amm'
import type { Replayed } from '../ports/workers.ts'

/**
 * The strategy that ended with the most, why, and how sure that is: whether its lead is larger than what the fees may be off, in
 * how many starts on a later day it leads too, and whether holding its first tokens was better. Names of strategies are plain by the time they come here.
 */
export function backtestWinner(
  { strategies, startsAt, endsAt, laterWinners }: Pick<Replayed, 'strategies' | 'startsAt' | 'endsAt' | 'laterWinners'>,
  {
    gaps,
    hasAllTrades,
    isGasKnown,
  }: Pick<PoolBars['completeness'], 'gaps' | 'hasAllTrades'> & {
    readonly isGasKnown: boolean
  },
): Winner {
  const [best, second] = strategies.toSorted((a, b) => b.endValueUsd - a.endValueUsd)
  if (best === undefined) throw new TypeError('a backtest has a strategy')
  const days = Math.round((endsAt - startsAt) / 86_400)
  return {
    strategy: best.name,
    reason:
      `Ended with ${usd(best.endValueUsd)}: fees ${usd(best.feesEarnedUsd)} (+/-${percents(best.feeUncertaintyPct, 1, 'lead')} %), ` +
      `IL ${usd(best.ilCostUsd)}, ${isGasKnown ? `gas ${usd(best.gasUsd)}, ` : ''}swaps ${usd(best.swapCostUsd)}, ` +
      `in range ${best.inRangePct.toFixed(1)} % of the time.`,
    caveat: [
      `One past of ${days} days, no forecast.`,
      ...(second === undefined ? [] : [leadOver(best, second), entryOf(best, laterWinners)]),
      ...(best.vsHodlPct < 0 ? [`It ended ${(-best.vsHodlPct).toFixed(2)} % below its first tokens held.`] : []),
      ...(gaps > 0 ? [`${gaps} hours without data were taken to be quiet.`] : []),
      ...(hasAllTrades ? [] : ['Trades of the period are missing.']),
    ].join(' '),
  }
}

export type Winner = { readonly strategy: string; readonly reason: string; readonly caveat: string }

function leadOver(best: StrategyResult, second: StrategyResult): string {
  const lead = best.endValueUsd - second.endValueUsd
  const doubt = doubtUsd(best) + doubtUsd(second)
  const verdict = lead > doubt ? 'more than' : 'within'
  return `The lead over ${second.name}, ${usd(lead)}, is ${verdict} what the fees of both may be off, ${usd(doubt)}.`
}

function entryOf({ name }: StrategyResult, laterWinners: readonly string[]): string {
  const starts = laterWinners.length
  if (starts === 0) return 'The day of entry is not in that: the period is too short to try another.'
  const led = laterWinners.filter((winner) => winner === name).length
  return `The day of entry is not in that: of ${starts} starts, each a day later than the one before, it leads in ${led}.`
}

function doubtUsd({ feesEarnedUsd, feeUncertaintyPct }: StrategyResult): number {
  return (feesEarnedUsd * feeUncertaintyPct) / 100
}

function usd(value: number): string {
  return `${value.toFixed(2)} USD`
}
