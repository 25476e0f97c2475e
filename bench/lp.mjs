// What LP analytics cost and how exact they are: simulation beside numpy and C, its error beside plain Monte Carlo; the analytic layer; the
// replay of bars; the tool that uses them, and what it does to the calls beside it.
import { measureBacktest } from './parts/lp-backtest.mjs'
import { measureRanges } from './parts/lp-ranges.mjs'
import { measureSimulationError } from './parts/lp-simulation-error.mjs'
import { measureSimulationSpeed } from './parts/lp-simulation-speed.mjs'
import { measureTool } from './parts/lp-tool.mjs'

export async function run(report) {
  const speed = await measureSimulationSpeed(report)
  const analytic = [...measureRanges(report), ...measureSimulationError(report), ...measureBacktest(report)]
  return [...speed, ...analytic, ...(await measureTool(report))]
}
