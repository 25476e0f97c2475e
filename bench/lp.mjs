// What LP analytics cost and how exact they are: simulation beside numpy and C, its error beside plain Monte Carlo; the replay of bars.
import { measureBacktest } from './parts/lp-backtest.mjs'
import { measureSimulationError } from './parts/lp-simulation-error.mjs'
import { measureSimulationSpeed } from './parts/lp-simulation-speed.mjs'

export async function run(report) {
  return [...(await measureSimulationSpeed(report)), ...measureSimulationError(report), ...measureBacktest(report)]
}
