import { randomUUID } from 'node:crypto'
import type { Principal } from '@svc/engine'
import type { TaskOutcome } from './task-outcome.ts'
import type { InputRequest } from './task-view.ts'

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
