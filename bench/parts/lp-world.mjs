import { createSimulation } from '@svc/lp-math'

/** A volatile pair over thirty days. */
export const model = { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 }

export const finiteRanges = [
  { lower: 1_900, upper: 2_100 },
  { lower: 1_800, upper: 2_200 },
  { lower: 1_500, upper: 2_500 },
  { lower: 1_000, upper: 3_000 },
  { lower: 2_100, upper: 2_500 },
]
export const fullRange = { lower: 0, upper: Number.POSITIVE_INFINITY }

/** A whole simulation, every estimate included. */
export function simulate({ bounds, paths, steps, seed }) {
  const simulation = createSimulation({ model, bounds, paths, steps, seed })
  simulation.advance(simulation.paths)
  return simulation.result()
}

/** CPU milliseconds of this process. */
export function cpuMsOf(task) {
  const before = process.cpuUsage()
  task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
