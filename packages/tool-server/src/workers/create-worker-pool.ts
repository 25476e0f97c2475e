import { LpMathError } from '@svc/lp-math'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Work, WorkCaller, Workers, WorkKind } from '../ports.ts'
import { ToolError } from '@svc/amm'
import { createTraffic, type Traffic } from '../traffic.ts'
import type { WorkOutput, WorkRequest } from './compute.ts'
import type { WorkMessage, WorkTask } from './run-work.ts'
import { createWaitingLine } from '@svc/runtime'
import { workerProgram } from './worker-program.ts'

/**
 * Threads for work that takes long. The first is started when first needed; they stay for the next tasks and hold the process up
 * only while they work. A task that is not wanted any more is asked to stop and its thread goes on with the next; a thread that dies
 * fails its task alone, and another takes its place. Principals take turns.
 */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  const { threads = threadCount(availableParallelism()), maxWaiting = 32, program = workerProgram } = options
  const { now = () => performance.now(), traffic = createTraffic() } = options
  const seats = new Set<Seat>()
  const waiting = createWaitingLine<Job>(maxWaiting)
  let isClosed = false

  const fill = () => {
    for (let free = freeSeat(); free !== null; free = freeSeat()) {
      const job = waiting.next()
      if (job === null) return
      begin(free === 'none yet' ? openSeat() : free, job, traffic)
    }
  }
  const freeSeat = () =>
    [...seats].find((one) => one.job === null) ?? (seats.size < threads ? ('none yet' as const) : null)
  const openSeat = (): Seat => {
    const worker = new Worker(program(), { name: 'worker', env: {}, execArgv: [] })
    const seat: Seat = { worker, job: null }
    seats.add(seat)
    const leave = (error: Error) => {
      seats.delete(seat)
      seat.job?.end(error)
      seat.job = null
      if (!isClosed) fill()
    }
    worker.on('message', (message: WorkMessage) => {
      if (hear(seat, message)) fill()
    })
    worker.on('error', leave)
    worker.on('exit', (exitCode) => leave(new Error(`A thread ended with code ${exitCode}.`)))
    // After the listener for messages, which holds the process up: a task does so by its time limit, a thread shall not.
    worker.unref()
    return seat
  }

  return Object.freeze({
    run<Kind extends WorkKind>(kind: Kind, input: Work[Kind]['input'], caller: WorkCaller) {
      if (isClosed) return Promise.reject(new ToolError('SERVER_BUSY', 'The server is closing.'))
      if (caller.signal?.aborted === true) return Promise.reject(left())
      return new Promise<WorkOutput>((resolve, reject) => {
        const request = { kind, input } as WorkRequest
        const owner = caller.principalId ?? ''
        const forget = (one: Job) => waiting.leave(owner, one)
        const deadlineMs = options.deadlineMs ?? (kind === 'draw' ? pictureLimitMs : workLimitMs)
        const job = createJob(request, caller, { deadlineMs, now, resolve, reject, forget })
        waiting.join(owner, job)?.end(new ToolError('SERVER_BUSY', tooMany))
        fill()
      }) as Promise<Work[Kind]['output']>
    },
    async close() {
      isClosed = true
      const closing = new ToolError('SERVER_BUSY', 'The server is closing.')
      for (const job of waiting.all()) job.end(closing)
      for (const seat of seats) seat.job?.end(closing)
      await Promise.all([...seats].map(({ worker }) => worker.terminate()))
    },
  })
}

/** An answer waits for it, and says what it has when the time is over. */
const workLimitMs = 10_000
/** Nothing but who asked for it waits for a picture, the first of which has its thread load the chart library. */
const pictureLimitMs = 30_000

export type WorkerPool = Workers & {
  /** Ends every thread; what runs or waits is refused with `SERVER_BUSY`. */
  close(): Promise<void>
}

export type WorkerPoolOptions = {
  /** How many tasks run at once; one less than there are cores when absent, at most four. */
  readonly threads?: number
  /** The requests that threads give way to. */
  readonly traffic?: Traffic
  /** How many may wait for a thread. */
  readonly maxWaiting?: number
  /** How long a task may take, waiting included; 10 seconds when absent, and 30 for a picture. */
  readonly deadlineMs?: number
  /** Milliseconds since whenever. */
  readonly now?: () => number
  /** Where the program of a thread lies. */
  readonly program?: () => URL
}

type Seat = { readonly worker: Worker; job: Job | null }

type Job = {
  readonly request: WorkRequest
  readonly stop: Int32Array
  readonly caller: WorkCaller
  isOver(): boolean
  /** It waits no longer. */
  begin(): void
  /** Answers the caller, once: a failure, or what came out. */
  end(outcome: Error | { readonly output: WorkOutput }): void
}

type JobMeans = {
  readonly deadlineMs: number
  readonly now: () => number
  readonly resolve: (output: WorkOutput) => void
  readonly reject: (error: Error) => void
  readonly forget: (job: Job) => void
}

function createJob(request: WorkRequest, caller: WorkCaller, deps: JobMeans): Job {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const { deadlineMs, now } = deps
  const askedAt = now()
  let begunAt: number | null = null
  let isOver = false
  const job: Job = {
    request,
    caller,
    stop,
    isOver: () => isOver,
    begin: () => void (begunAt = now()),
    end(outcome) {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      caller.signal?.removeEventListener('abort', leave)
      Atomics.store(stop, 0, 1)
      deps.forget(job)
      if (outcome instanceof Error) deps.reject(outcome)
      else deps.resolve(outcome.output)
    },
  }
  const leave = () => job.end(left())
  const waitedMs = () => (begunAt === null ? deadlineMs : Math.min(deadlineMs, Math.round(begunAt - askedAt)))
  const timer = setTimeout(() => job.end(late(request.kind, waitedMs(), deadlineMs)), deadlineMs)
  caller.signal?.addEventListener('abort', leave, { once: true })
  return job
}

/** A task that cannot be sent to a thread fails alone, and leaves the thread free. */
function begin(seat: Seat, job: Job, { counts }: Traffic): void {
  seat.job = job
  job.begin()
  try {
    seat.worker.postMessage({ ...job.request, stop: job.stop, traffic: counts } satisfies WorkTask)
  } catch (cause) {
    seat.job = null
    job.end(cause instanceof Error ? cause : new Error(String(cause)))
  }
}

/** Whether the thread has ended its task. */
function hear(seat: Seat, message: WorkMessage): boolean {
  const { job } = seat
  if (message.kind === 'progress') {
    if (job?.isOver() === false) job.caller.onProgress?.(message.done, message.of)
    return false
  }
  seat.job = null
  job?.end(message.kind === 'result' ? message : failure(message))
  return true
}

function failure(message: Extract<WorkMessage, { kind: 'failed' | 'stopped' }>): Error {
  if (message.kind === 'stopped') return new Error('The task was stopped.')
  return message.code === null ? new Error(message.message) : new LpMathError(message.code, message.message)
}

const names = {
  simulate: 'simulation',
  chooseRange: 'choice of a range',
  replay: 'replay',
  scoreFeeTier: 'score of a fee tier',
  draw: 'picture',
} as const

/** Says where the time went: who waited long asks again later, who computed long asks for less. */
function late(kind: WorkKind, waitedMs: number, limitMs: number): ToolError {
  const message = `The ${names[kind]} was not ready after ${limitMs} ms, ${waitedMs} of them waiting for a thread.`
  const isBusy = waitedMs > limitMs / 2
  return new ToolError('SIMULATION_TIMEOUT', message, {
    details: [
      {
        message: isBusy ? 'Most of the time went into waiting.' : 'Most of the time went into work.',
        waitedMs,
        limitMs,
      },
    ],
    ...(isBusy && {
      suggestion: 'The server is busy: use the answer in details where there is one, or call again later.',
    }),
  })
}

const tooMany = 'Too many simulations, replays and pictures wait for their turn, most of them for this caller.'

function left(): ToolError {
  return new ToolError('CANCELLED', 'The caller left before the answer was ready.', {
    suggestion: 'Call again and wait for the answer; fewer simulations or a shorter period take less time.',
  })
}

/** Of so many cores one is left to the thread that answers calls; more than four would only wait for memory. */
export function threadCount(cores: number): number {
  return Math.min(4, Math.max(1, cores - 1))
}
