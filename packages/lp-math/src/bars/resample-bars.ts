import { LpMathError } from '../lp-math-error.ts'
import { type Bars, createBars } from './bars.ts'
import { checkBars } from './check-bars.ts'

/**
 * Longer bars out of shorter ones, beginning with the first; a last bar that would not be whole is left out. Inputs and fee growth
 * are summed. Liquidity is the harmonic mean weighted by what was traded, since a fee is shared by the liquidity there when it is
 * paid: it gives the same fee for one unit of liquidity as the short bars. Without a trade it is the last one's.
 * @param barSeconds - a whole multiple of the bars' own.
 * @throws LpMathError `BARS_MALFORMED` also where the bars do not fill one long bar.
 */
export function resampleBars(bars: Bars, barSeconds: number): Bars {
  checkBars(bars)
  const perBar = Math.round(barSeconds / bars.barSeconds)
  if (!(perBar >= 1) || Math.abs(perBar * bars.barSeconds - barSeconds) > 1e-6) {
    throw new LpMathError('BARS_MALFORMED', `barSeconds is a whole multiple of the bars' own, ${bars.barSeconds}.`)
  }
  const count = Math.floor(bars.startsAt.length / perBar)
  if (count === 0) throw new LpMathError('BARS_MALFORMED', `bars fill at least one bar of ${barSeconds} s.`)
  const longer = createBars(count, barSeconds, bars.startsAt[0] ?? 0, bars.feeGrowth !== null)
  for (let bar = 0; bar < count; bar++) copyGroup(bars, bar * perBar, (bar + 1) * perBar, longer, bar)
  return longer
}

function copyGroup(bars: Bars, from: number, to: number, longer: Bars, bar: number): void {
  longer.openTick[bar] = bars.openTick[from] ?? 0
  longer.closeTick[bar] = bars.closeTick[to - 1] ?? 0
  longer.lowTick[bar] = bars.lowTick.subarray(from, to).reduce((low, tick) => Math.min(low, tick))
  longer.highTick[bar] = bars.highTick.subarray(from, to).reduce((high, tick) => Math.max(high, tick))
  longer.amount0In[bar] = sum(bars.amount0In, from, to)
  longer.amount1In[bar] = sum(bars.amount1In, from, to)
  longer.liquidity[bar] = tradedLiquidity(bars, from, to)
  if (bars.feeGrowth !== null && longer.feeGrowth !== null) {
    longer.feeGrowth.token0[bar] = sum(bars.feeGrowth.token0, from, to)
    longer.feeGrowth.token1[bar] = sum(bars.feeGrowth.token1, from, to)
  }
}

function tradedLiquidity(bars: Bars, from: number, to: number): number {
  let traded = 0
  let tradedPerLiquidity = 0
  for (let bar = from; bar < to; bar++) {
    const liquidity = bars.liquidity[bar] ?? 0
    if (liquidity === 0) continue
    const price = 1.0001 ** (bars.closeTick[bar] ?? 0)
    const volume1 = (bars.amount0In[bar] ?? 0) * price + (bars.amount1In[bar] ?? 0)
    traded += volume1
    tradedPerLiquidity += volume1 / liquidity
  }
  return tradedPerLiquidity === 0 ? (bars.liquidity[to - 1] ?? 0) : traded / tradedPerLiquidity
}

function sum(column: Float64Array, from: number, to: number): number {
  let total = 0
  for (let bar = from; bar < to; bar++) total += column[bar] ?? 0
  return total
}
