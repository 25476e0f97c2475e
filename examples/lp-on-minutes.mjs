// What five days of a real pool say to somebody who would provide liquidity: fees, and how they hang on the length of a bar; the
// volatility; ranges and strategies. On the minutes in examples/data, offline:
//
//   node examples/lp-on-minutes.mjs
//
// It needs the packages built: `npm run build`, or one `npm start`, does that. So does it for examples/test-utils.
// The same from the command line, for any CSV file of bars: npx --no-install svc lp optimize, backtest or fee-tier (svc lp --help). What the
// models assume and how far they are off: docs/analytics.md.
import { readFileSync } from 'node:fs'
import {
  barsFromRows,
  ewmaSigma,
  expectedIl,
  replayFees,
  replayStrategies,
  resampleBars,
  stayInRangeProbability,
  timeInRange,
} from '@svc/lp-math'

// 1. Rows become bars: one length, no holes. What had to be mended is counted.
const file = new URL('data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv', import.meta.url)
const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n')
const columns = header.split(',')
const rows = lines.map((line) => {
  const row = Object.fromEntries(line.split(',').map((text, column) => [columns[column], text]))
  return {
    startsAt: Date.parse(`${row.timestamp}Z`) / 1000,
    openTick: Number(row.openTick),
    lowTick: Number(row.lowestTick),
    highTick: Number(row.highestTick),
    closeTick: Number(row.closeTick),
    amount0In: Number(row.inAmount0),
    amount1In: Number(row.inAmount1),
    liquidity: Number(row.currentLiquidity),
  }
})
const { bars, filledBars, widenedBars } = barsFromRows(rows, 60)
console.log(`${bars.startsAt.length} minutes, ${filledBars} filled, ${widenedBars} widened`)

// 2. Fees of one position by bars of several lengths. Only the minutes are near the truth, and each result says how near.
const priceAt = (tick) => 1e12 / 1.0001 ** tick
const endPrice = priceAt(bars.closeTick.at(-1))
const position = { tickLower: 200_820, tickUpper: 201_650, liquidity: 1e16, feePips: 500 }
for (const [name, barSeconds] of [
  ['minutes', 60],
  ['hours', 3_600],
  ['days', 86_400],
]) {
  const fees = replayFees(resampleBars(bars, barSeconds), position)
  const usd = fees.amount0 / 1e6 + (fees.amount1 / 1e18) * endPrice
  console.log(`fees by ${name}: ${usd.toFixed(2)} USD, give or take ${fees.feeUncertaintyPct.toFixed(1)} %`)
}

// 3. Volatility of hourly closes, and what it means for a range 10 % either way over 30 days: all closed forms.
const hours = resampleBars(bars, 3_600)
const sigma = ewmaSigma(hours.closeTick.map(priceAt), { barSeconds: 3_600 })
const model = { price: endPrice, sigma, drift: 0, years: 30 / 365 }
const bounds = { lower: endPrice * 0.9, upper: endPrice * 1.1 }
const percent = (share) => `${(100 * share).toFixed(1)} %`
console.log(`volatility ${percent(sigma)} a year; 10 % either way for 30 days:`)
console.log(
  `  time in range ${percent(timeInRange(bounds, model))}, never left ${percent(stayInRangeProbability(bounds, model))}`,
)
console.log(`  expected loss against holding ${percent(-expectedIl(bounds, model))}`)

// 4. Strategies replayed, each part of the outcome told apart: they add up to the whole.
const strategies = [
  { name: 'tight', rangePct: 4, rebalanceThresholdPct: 50 },
  { name: 'wide', rangePct: 50, rebalanceThresholdPct: 95 },
  { name: 'full', rangePct: null, rebalanceThresholdPct: null },
]
const result = replayStrategies(bars, strategies, {
  startValueUsd: 10_000,
  feePips: 500,
  tickSpacing: 10,
  decimals0: 6,
  decimals1: 18,
  baseToken: 1,
  quoteUsd: 1,
  gasUsd: { open: 0.02, close: 0.02, rebalance: 0.05 },
})
for (const one of result.strategies) {
  const parts = [one.feesEarnedUsd, one.hodlMoveUsd, -one.ilCostUsd, -one.swapCostUsd, -one.gasUsd]
  const reported = ['fees', 'market', 'IL', 'swaps', 'gas'].map((name, part) => `${name} ${parts[part].toFixed(2)}`)
  console.log(`${one.name}: ${reported.join(', ')}; together ${(one.endValueUsd - 10_000).toFixed(2)} USD`)
}
