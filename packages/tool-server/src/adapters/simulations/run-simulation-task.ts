import { createSimulation } from '@svc/lp-math'
import type { SimulationMessage, SimulationTask } from './simulation-task.ts'

/** Carries a task out in portions; between them it tells how far it is and looks whether it shall stop. */
export function runSimulationTask({ options, stop }: SimulationTask, tell: (message: SimulationMessage) => void): void {
  try {
    const simulation = createSimulation(options)
    const { paths } = simulation
    const portion = Math.max(1, Math.min(Math.ceil(paths / 20), Math.ceil(mostSteps / options.steps)))
    for (let done = 0; done < paths;) {
      if (Atomics.load(stop, 0) !== 0) return tell({ kind: 'stopped' })
      done = simulation.advance(portion)
      tell({ kind: 'progress', done, of: paths })
    }
    tell({ kind: 'result', run: { paths, estimates: simulation.result() } })
  } catch (error) {
    tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

/** Of all paths of a portion together: few milliseconds of work. */
const mostSteps = 131_072
