import { LpMathError } from '@svc/lp-math'
import { pickRange } from '../analytics/pick-range.ts'
import { scoreFeeTier } from '../analytics/score-fee-tier.ts'
import { draw } from './draw.ts'
import { replay } from './replay.ts'
import { simulate } from './simulate.ts'
import type { Between, WorkMessage, WorkOutput, WorkTask } from './work-messages.ts'

/** Carries a task out; between its portions it tells how far it is and looks whether it shall stop. Never rejects. */
export async function runWork(task: WorkTask, tell: (message: WorkMessage) => void): Promise<void> {
  const between: Between = (done, of) => {
    if (Atomics.load(task.stop, 0) !== 0) throw stopped
    if (done > 0) tell({ kind: 'progress', done, of })
  }
  try {
    between(0, 1)
    tell({ kind: 'result', output: await outputOf(task, between) })
  } catch (error) {
    tell(error === stopped ? { kind: 'stopped' } : failure(error))
  }
}

const stopped = Symbol('stopped')

function outputOf(task: WorkTask, between: Between): WorkOutput | Promise<WorkOutput> {
  if (task.kind === 'simulate') return simulate(task.input, between)
  if (task.kind === 'chooseRange') return pickRange(task.input)
  if (task.kind === 'replay') return replay(task.input, between)
  if (task.kind === 'scoreFeeTier') return scoreFeeTier(task.input.tier, task.input.market)
  return draw(task.input)
}

function failure(error: unknown): WorkMessage {
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'failed', message, code: error instanceof LpMathError ? error.code : null }
}
