import { randomUUID } from 'node:crypto'
import type { Principal } from '@svc/engine'
import type { StoredTask, TaskEnd } from '@svc/store'
import { isRecord, type Log } from '@svc/runtime'

/** A task with work under way in this process. */
export function createLiveTask(principal: Principal): LiveTask {
  return { principal, abort: new AbortController(), asked: new Map(), reported: null, ended: Promise.resolve() }
}

/** What the work of a task may do; `onChange` hears of a question that is asked, and of one that nobody answers any more. */
export function runningTask(own: LiveTask, onChange: () => void): RunningTask {
  return {
    signal: own.abort.signal,
    report(done, of) {
      own.reported = `${done} of ${of}`
    },
    ask: (request, { withinMs, isOver, term }) =>
      new Promise((resolve) => {
        const signal = AbortSignal.any([own.abort.signal, ...(term ? [term] : [])])
        if (signal.aborted || withinMs <= 0) return resolve(undefined)
        const key = randomUUID()
        const end = (response: unknown) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', unanswered)
          own.asked.delete(key)
          resolve(response)
        }
        const unanswered = () => {
          end(undefined)
          onChange()
        }
        const timer = setTimeout(unanswered, withinMs).unref()
        signal.addEventListener('abort', unanswered, { once: true })
        own.asked.set(key, { request, resolve: end, isOver, takeBack: unanswered })
        onChange()
      }),
  }
}

/** Takes back the questions whose answers would be too late. */
export async function takeBackQuestions({ asked }: Pick<LiveTask, 'asked'>): Promise<void> {
  for (const { isOver, takeBack } of asked.values()) if (await isOver()) takeBack()
}

/** Does the work of a task. A rejection with a numeric `code` is an error of the protocol, any other is one of ours. */
export type TaskWork = (running: RunningTask) => Promise<TaskOutcome>

export type RunningTask = {
  /** Aborted by a cancellation, and when the server closes. */
  readonly signal: AbortSignal
  /** How far it is. */
  readonly report: (done: number, of: number) => void
  /** Asks whoever is at the client; `undefined` when nobody answered in time, or before the work had to end. */
  readonly ask: (request: InputRequest, time: TimeToAnswer) => Promise<unknown>
}

export type TimeToAnswer = {
  readonly withinMs: number
  /** Nobody may answer any more once it is aborted. */
  readonly term?: AbortSignal | null
  /** Whether an answer would be too late already, as where somebody else has decided; asked again and again. */
  readonly isOver: () => Promise<boolean>
}

export type LiveTask = {
  readonly principal: Principal
  readonly abort: AbortController
  readonly asked: Map<string, Question>
  reported: string | null
  ended: Promise<void>
}

type Question = Pick<TimeToAnswer, 'isOver'> & {
  readonly request: InputRequest
  resolve(response: unknown): void
  readonly takeBack: () => void
}

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

/** A task as the extension `io.modelcontextprotocol/tasks` shows it. */
export type TaskView = {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number
  readonly pollIntervalMs: number
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  readonly result?: unknown
  readonly error?: unknown
}

/** What a client asks its person. */
type InputRequest = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }

/** What is known of the work of a task in the process that does it. */
export type SeenWork = {
  readonly asked: ReadonlyMap<string, { readonly request: InputRequest }>
  /** How far it is. */
  readonly reported: string | null
}

/** @param live what runs for it in this process, if anything does */
export function showTask(task: StoredTask, live: SeenWork | undefined): TaskView {
  const asked =
    task.state === 'working' ? [...(live?.asked ?? [])].map(([key, { request }]) => [key, request] as const) : []
  const message = messageOf(task, live)
  return {
    taskId: task.id,
    status: asked.length > 0 ? 'input_required' : task.state,
    ...(message === null ? {} : { statusMessage: message }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.expiresAt - task.createdAt,
    pollIntervalMs: task.operationId === null ? pollMs : waitingPollMs,
    ...(asked.length > 0 && { inputRequests: Object.fromEntries(asked) }),
    ...(task.state === 'completed' && { result: read(task.outcome) }),
    ...(task.state === 'failed' && { error: read(task.outcome) }),
  }
}

const pollMs = 1_000
/** Of what waits for a person or for its time. */
const waitingPollMs = 5_000

function messageOf({ state, operationId, cancelAskedAt }: StoredTask, live: SeenWork | undefined): string | null {
  if (state !== 'working') return null
  if (cancelAskedAt !== null) return 'Comes to a safe end.'
  if (operationId !== null)
    return `Operation ${operationId} decides: it waits for a person or for its time (get_operation).`
  return live?.reported ?? null
}

function read(outcome: string | null): unknown {
  return JSON.parse(outcome ?? 'null')
}
