import type { LpMathErrorCode } from '@svc/lp-math'
import type { Work, WorkKind } from '../ports/workers.ts'
import type { TrafficCounts } from '../traffic.ts'

/** What a thread is asked for. */
export type WorkRequest = {
  readonly [Kind in WorkKind]: { readonly kind: Kind; readonly input: Work[Kind]['input'] }
}[WorkKind]

/** `stop` holds one shared number that is no longer 0 once the answer is not wanted any more. */
export type WorkTask = WorkRequest & { readonly stop: Int32Array; readonly traffic: TrafficCounts }

/** What a thread says of its task; all but the first end it. */
export type WorkMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'result'; readonly output: WorkOutput }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string; readonly code: LpMathErrorCode | null }

export type WorkOutput = Work[WorkKind]['output']

/** What a piece of work calls between its portions: how much of how much is done. It throws once the answer is not wanted any more. */
export type Between = (done: number, of: number) => void
