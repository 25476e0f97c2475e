// The replay of bars: the fee loop beside the same loop in C, and a year of minutes with all metrics.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { replayFees, replayStrategies } from '@svc/lp-math'
import { figure, notMeasured } from './figure.mjs'
import { sized } from './size.mjs'

const bars = 365 * 1440
const rounds = sized(40)
const ranges = [
  [200_000, 202_000],
  [200_500, 201_500],
  [200_900, 201_200],
  [201_000, 201_200],
]
const strategies = [
  { name: 'narrow', rangePct: 10, rebalanceThresholdPct: 80 },
  { name: 'medium', rangePct: 25, rebalanceThresholdPct: 90 },
  { name: 'wide', rangePct: 50, rebalanceThresholdPct: 95 },
  { name: 'full-range', rangePct: null, rebalanceThresholdPct: null },
]
const options = {
  startValueUsd: 10_000,
  feePips: 500,
  tickSpacing: 10,
  decimals0: 6,
  decimals1: 18,
  baseToken: 1,
  quoteUsd: 1,
  gasUsd: { open: 0.1, close: 0.1, rebalance: 0.2 },
}

/** CPU times, best of some rounds: the machine may be busy elsewhere. */
export function measureBacktest(report) {
  const year = yearOfMinutes()
  const feesMs = leastCpuMs(() => replayRanges(year))
  report(`fee loop: ${feesMs.toFixed(1)} ms for ${ranges.length} ranges over ${bars} bars`)
  const metricsMs = leastCpuMs(() => replayStrategies(year, strategies, options), 8)
  report(`year of minutes, ${strategies.length} strategies, all metrics: ${metricsMs.toFixed(0)} ms`)
  return [
    figure({
      name: 'backtest: fee loop, million bar-positions a second',
      value: (bars * ranges.length) / feesMs / 1000,
      unit: 'M/s',
      reference: 'CPU time of a year of minutes x 4 ranges',
      bar: 50,
      atMost: false,
    }),
    againstC(year, feesMs),
    figure({
      name: 'backtest: a year of minutes x 4 strategies, all metrics',
      value: metricsMs,
      unit: 'ms',
      reference: 'CPU time; checks of the bars, equity of each bar, Sharpe, drawdown, LVR',
      bar: 1000,
    }),
  ]
}

function againstC(year, feesMs) {
  const name = 'backtest: fee loop, times the time of plain C'
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    const source = fileURLToPath(new URL('../references/lp-fees.c', import.meta.url))
    const compiled = spawnSync('cc', ['-O3', '-march=native', '-o', join(folder, 'fees'), source])
    if (compiled.status !== 0) return notMeasured({ name, unit: 'x', why: 'no C compiler', bar: null })
    const columns = [year.lowTick, year.highTick, year.amount0In, year.amount1In, year.liquidity]
    writeFileSync(join(folder, 'columns'), Buffer.concat(columns.map((column) => Buffer.from(column.buffer))))
    const arguments_ = [join(folder, 'columns'), String(bars), String(rounds)]
    const answer = JSON.parse(spawnSync(join(folder, 'fees'), arguments_, { encoding: 'utf8' }).stdout)
    const ours = replayRanges(year)
    if (Math.abs(answer.fees0 / ours - 1) > 1e-12) throw new Error(`C earned ${answer.fees0}, we ${ours}.`)
    return figure({
      name,
      value: feesMs / answer.ms,
      unit: 'x',
      reference: 'bench/references/lp-fees.c, cc -O3, same columns',
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function replayRanges(year) {
  let fees0 = 0
  for (const [tickLower, tickUpper] of ranges) {
    fees0 += replayFees(year, { tickLower, tickUpper, liquidity: 1e17, feePips: 500 }).amount0
  }
  return fees0
}

function leastCpuMs(act, times = rounds) {
  let least = Infinity
  for (let round = 0; round < times; round++) {
    const before = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** The shipped five days, again and again. */
function yearOfMinutes() {
  const file = new URL('../../examples/data/univ3-polygon-usdc-weth-500-2023-08-13_17.minute.csv', import.meta.url)
  const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n')
  const rows = lines.map((line) => line.split(','))
  const column = (name) => {
    const at = header.split(',').indexOf(name)
    return Float64Array.from({ length: bars }, (_, bar) => Number(rows[bar % rows.length][at]))
  }
  const closeTick = column('closeTick')
  return {
    barSeconds: 60,
    startsAt: Float64Array.from({ length: bars }, (_, bar) => 1_691_884_800 + bar * 60),
    openTick: column('openTick'),
    // Of a few rows the file has the close outside low and high.
    lowTick: column('lowestTick').map((tick, bar) => Math.min(tick, closeTick[bar])),
    highTick: column('highestTick').map((tick, bar) => Math.max(tick, closeTick[bar])),
    closeTick,
    amount0In: column('inAmount0'),
    amount1In: column('inAmount1'),
    liquidity: column('currentLiquidity'),
    feeGrowth: null,
  }
}
