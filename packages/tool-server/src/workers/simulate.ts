import { createSimulation, type SimulationOptions } from '@svc/lp-math'
import type { SimulationRun } from '../ports/workers.ts'
import type { Between } from './work-messages.ts'

/** A whole simulation, in portions. */
export function simulate(options: SimulationOptions, between: Between): SimulationRun {
  const simulation = createSimulation(options)
  const { paths } = simulation
  const portion = Math.max(1, Math.min(Math.ceil(paths / 20), Math.ceil(mostSteps / options.steps)))
  for (let done = 0; done < paths;) {
    done = simulation.advance(portion)
    between(done, paths)
  }
  return { paths, estimates: simulation.result() }
}

/** Of all paths of a portion together: less than half a millisecond of work. */
const mostSteps = 16_384
