import type { StoredTask, TaskEnd } from '@svc/store'
import { isRecord, type Log } from '@svc/runtime'

/** What the work of a task came to. */
export type TaskOutcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  /** An operation that decides how the task ends. */
  | { readonly waitsFor: string }
  | { readonly error: ProtocolFailure }
  | { readonly isCancelled: true }
  /** Another server goes on with it, or this one once it leads again. */
  | { readonly isCutOff: true }

type ProtocolFailure = { readonly code: number; readonly message: string; readonly data?: unknown }

/** An outcome as it is kept. An answer of more than `mostBytes` is a failure. */
export function endOf(
  outcome: Exclude<TaskOutcome, { readonly waitsFor: string } | { readonly isCutOff: true }>,
  mostBytes: number,
): TaskEnd {
  if ('isCancelled' in outcome) return { state: 'cancelled', outcome: null }
  if ('error' in outcome) return { state: 'failed', outcome: JSON.stringify(outcome.error) }
  const text = JSON.stringify(outcome.result)
  if (Buffer.byteLength(text) <= mostBytes) return { state: 'completed', outcome: text }
  const error = {
    code: internalError,
    message: 'The answer is too large to be kept; call without the extension for it.',
  }
  return { state: 'failed', outcome: JSON.stringify(error) }
}

/** What a rejection of the work is to its caller: one with a numeric `code` an error of the protocol, any other one of ours, which the log explains. */
export function failureOf(error: unknown, { id, tool }: StoredTask, log: Pick<Log, 'error'>): TaskOutcome {
  if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
    const { code, message } = error
    return { error: { code, message, ...('data' in error && isRecord(error.data) ? { data: error.data } : {}) } }
  }
  log.error('task.unexpected_error', { taskId: id, tool, error })
  return { error: { code: internalError, message: 'Something went wrong inside the server.' } }
}

const internalError = -32_603
