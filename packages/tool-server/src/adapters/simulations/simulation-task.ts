import type { SimulationOptions } from '@svc/lp-math'
import type { SimulationRun } from '../../ports.ts'

/** What a thread is given: `stop` holds one shared number that is no longer 0 once the answer is not wanted any more. */
export type SimulationTask = { readonly options: SimulationOptions; readonly stop: Int32Array }

/** What a thread says of its task; all but the first end it. */
export type SimulationMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'result'; readonly run: SimulationRun }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string }
