import { createSimulation, laterWinners, replayStrategies, type SimulationOptions } from '@svc/lp-math'
import { scoreFeeTier } from '../analysis/fees/score-fee-tier.ts'
import { pickRange } from '../analysis/range/pick-range.ts'
import type { Replay, Replayed, SimulationRun, Work, WorkKind, WorkCaller, Workers } from '../ports.ts'

/** Does what can be asked for but pictures, in the thread that calls it. Throws what `between` throws, and `LpMathError`. */
export function compute(task: Exclude<WorkRequest, { kind: 'draw' }>, between: Between): WorkOutput {
  if (task.kind === 'simulate') return simulate(task.input, between)
  if (task.kind === 'chooseRange') return pickRange(task.input, () => between(0, 1))
  if (task.kind === 'replay') return replay(task.input, between)
  return scoreFeeTier(task.input.tier, task.input.market, () => between(0, 1))
}

/** Replays strategies one after the other, and all again from later starts. */
function replay({ bars, strategies, options }: Replay, between: Between): Replayed {
  const results = strategies.map((strategy, index) => {
    const result = replayStrategies(bars, [strategy], options)
    between(index + 1, strategies.length)
    return result
  })
  const [first] = results
  if (first === undefined) throw new TypeError('a replay has a strategy')
  const later = laterWinners(bars, strategies, options)
  return { ...first, strategies: results.flatMap((result) => result.strategies), laterWinners: later }
}

/** A whole simulation, in portions. */
function simulate(options: SimulationOptions, between: Between): SimulationRun {
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

/** What a thread is asked for. */
export type WorkRequest = {
  readonly [Kind in WorkKind]: { readonly kind: Kind; readonly input: Work[Kind]['input'] }
}[WorkKind]

export type WorkOutput = Work[WorkKind]['output']

/** What a piece of work calls between its portions: how much of how much is done. It throws once the answer is not wanted any more. */
export type Between = (done: number, of: number) => void

/**
 * Work done in the turn that asks for it, where there are no threads. Nothing ends it: how much of it there is at most, the inputs of the tools
 * bound, and a clock may stand still meanwhile. Pictures are not drawn.
 */
export function createInlineWorkers(): Workers {
  return Object.freeze({
    async run<Kind extends WorkKind>(kind: Kind, input: Work[Kind]['input'], { onProgress }: WorkCaller) {
      const request = { kind, input } as WorkRequest
      if (request.kind === 'draw') throw new TypeError('Pictures are drawn by threads.')
      const between = (done: number, of: number) => {
        if (done > 0) onProgress?.(done, of)
      }
      return compute(request, between) as Work[Kind]['output']
    },
  })
}
