import { LpMathError } from '@svc/lp-math'
import { pickRange } from '../analysis/range/pick-range.ts'
import { scoreFeeTier } from '../analysis/fees/score-fee-tier.ts'
import { createCoreYield } from './create-core-yield.ts'
import { draw } from './draw.ts'
import { replay } from './replay.ts'
import { simulate } from './simulate.ts'
import type { Between, WorkMessage, WorkOutput, WorkTask } from './work-messages.ts'

/**
 * Carries a task out; between its portions it tells how far it is, looks whether it shall stop, and lets its core go. Never rejects.
 */
export async function runWork(
  task: WorkTask,
  tell: (message: WorkMessage) => void,
  yieldCore: () => void = createCoreYield(task.traffic),
): Promise<void> {
  let reported = { done: 0, at: performance.now() }
  const between: Between = (done, of) => {
    if (Atomics.load(task.stop, 0) !== 0) throw stopped
    yieldCore()
    const isNews = done - reported.done >= of / 20 || performance.now() - reported.at > quietMs
    if (done === 0 || !(isNews || done === of)) return
    reported = { done, at: performance.now() }
    tell({ kind: 'progress', done, of })
  }
  try {
    between(0, 1)
    tell({ kind: 'result', output: await outputOf(task, between) })
  } catch (error) {
    tell(error === stopped ? { kind: 'stopped' } : failure(error))
  }
}

const stopped = Symbol('stopped')

/** Progress is reported of every twentieth, and of less where that takes longer. */
const quietMs = 100

function outputOf(task: WorkTask, between: Between): WorkOutput | Promise<WorkOutput> {
  if (task.kind === 'simulate') return simulate(task.input, between)
  if (task.kind === 'chooseRange') return pickRange(task.input, () => between(0, 1))
  if (task.kind === 'replay') return replay(task.input, between)
  if (task.kind === 'scoreFeeTier') return scoreFeeTier(task.input.tier, task.input.market)
  return draw(task.input)
}

function failure(error: unknown): WorkMessage {
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'failed', message, code: error instanceof LpMathError ? error.code : null }
}
