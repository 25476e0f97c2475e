// What is claimed of the lead of a backtest's winner over as many days to come, and what came.
import { leadAhead, replayStrategies } from '@svc/lp-math'
import { scored } from './calibration-score.mjs'
import { mean } from './calibration-windows.mjs'

const strategies = [
  { name: 'narrow', rangePct: 10, rebalanceThresholdPct: 80 },
  { name: 'medium', rangePct: 25, rebalanceThresholdPct: 90 },
  { name: 'wide', rangePct: 50, rebalanceThresholdPct: 95 },
  { name: 'full-range', rangePct: null, rebalanceThresholdPct: null },
]
const options = {
  startValueUsd: 10_000,
  feePips: 3_000,
  tickSpacing: 60,
  decimals0: 18,
  decimals1: 18,
  baseToken: 0,
  quoteUsd: 1,
  gasUsd: { open: 1, close: 1, rebalance: 3 },
}

/** Four periods of each pool. */
export function winnerClaims(pool, random) {
  return [14, 30, 60, 90].flatMap((days) => {
    const from = Math.floor(random.uniform() * (pool.days - 2 * days))
    const pay = (0.4 + 2 * random.uniform()) / 4
    const [past, ahead] = [from, from + days].map(
      (start) => replayStrategies(barsOf(pool, { start, days, pay }), strategies, options).strategies,
    )
    const [best, second] = past.toSorted((a, b) => b.endValueUsd - a.endValueUsd)
    const interval = leadAhead(best.equity, second.equity)
    if (interval === null) return []
    const endOf = ({ name }) => ahead.find((one) => one.name === name).endValueUsd
    return [
      scored(interval, endOf(best) - endOf(second), {
        kind: pool.kind,
        age: days,
        horizonDays: days,
        of: "lead of a backtest's winner",
      }),
    ]
  })
}

/** Hours of a pool of one liquidity, whose fees pay for LVR in part or over again. */
function barsOf({ returns, volumes, depths }, { start, days, pay }) {
  const [from, count] = [start * 24, days * 24 + 1]
  const column = () => new Float64Array(count)
  const bars = {
    barSeconds: 3_600,
    startsAt: column().map((_, bar) => 1.7e9 + bar * 3_600),
    openTick: column(),
    lowTick: column(),
    highTick: column(),
    closeTick: column(),
    amount0In: column(),
    amount1In: column(),
    liquidity: column(),
    feeGrowth: null,
  }
  const liquidity = 1e24
  const square = mean(returns.map((one) => one ** 2))
  const worth = (pay * square * liquidity) / (mean(volumes) * 0.003)
  let tick = 0
  for (let bar = 0; bar < count; bar += 1) {
    const change = bar === 0 ? 0 : returns[from + bar - 1] / Math.log(1.0001)
    const volume = bar === 0 ? 0 : volumes[from + bar - 1] * worth
    bars.openTick[bar] = tick
    tick += change
    bars.closeTick[bar] = tick
    bars.lowTick[bar] = Math.min(tick, tick - change) - Math.abs(change) * 0.3
    bars.highTick[bar] = Math.max(tick, tick - change) + Math.abs(change) * 0.3
    bars.amount0In[bar] = volume / 2 / 1.0001 ** tick
    bars.amount1In[bar] = volume / 2
    bars.liquidity[bar] = liquidity * depths[from + Math.max(bar - 1, 0)]
  }
  return bars
}
