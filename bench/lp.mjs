// What LP analytics cost and how exact they are: the simulation against numpy and C, its error against plain Monte Carlo.
import { measureSimulationError } from './parts/lp-simulation-error.mjs'
import { measureSimulationSpeed } from './parts/lp-simulation-speed.mjs'

export async function run(report) {
  return [...(await measureSimulationSpeed(report)), ...measureSimulationError(report)]
}
