import { Worker } from 'node:worker_threads'
import type { SimulationOptions } from '@svc/lp-math'
import type { SimulationCaller, SimulationRun, Simulations } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { simulationProgram } from './simulation-program.ts'
import type { SimulationMessage } from './simulation-task.ts'

/**
 * Threads for simulations. The first is started when first needed; they stay for the next ones and hold the process up
 * only while they work. A task that is not wanted any more is told to stop and its thread goes on with the next; a thread that dies
 * fails its task alone, and another takes its place.
 */
export function createSimulations(options: SimulationsOptions): OpenSimulations {
  const { threads, maxWaiting = 32, deadlineMs = 10_000, program = simulationProgram } = options
  const seats = new Set<Seat>()
  const waiting = new Set<Job>()
  let isClosed = false

  const fill = () => {
    for (const job of waiting) {
      const seat = [...seats].find((one) => one.job === null) ?? (seats.size < threads ? openSeat() : null)
      if (seat === null) return
      waiting.delete(job)
      begin(seat, job)
    }
  }
  const openSeat = (): Seat => {
    const worker = new Worker(program(), { name: 'simulation', env: {}, execArgv: [] })
    const seat: Seat = { worker, job: null }
    seats.add(seat)
    const leave = (error: Error) => {
      seats.delete(seat)
      seat.job?.end(error)
      seat.job = null
      if (!isClosed) fill()
    }
    worker.on('message', (message: SimulationMessage) => {
      if (hear(seat, message)) fill()
    })
    worker.on('error', leave)
    worker.on('exit', (exitCode) => leave(new Error(`A thread for simulations ended with code ${exitCode}.`)))
    return seat
  }

  return Object.freeze({
    run(simulation: SimulationOptions, caller: SimulationCaller) {
      if (isClosed) return Promise.reject(new ToolError('SERVER_BUSY', 'The server is closing.'))
      if (caller.signal.aborted) return Promise.reject(left())
      if (waiting.size >= maxWaiting) {
        return Promise.reject(new ToolError('SERVER_BUSY', 'Too many simulations wait for their turn.'))
      }
      return new Promise<SimulationRun>((resolve, reject) => {
        const job = createJob(simulation, caller, { deadlineMs, resolve, reject, forget: (one) => waiting.delete(one) })
        waiting.add(job)
        fill()
      })
    },
    async close() {
      isClosed = true
      const closing = new ToolError('SERVER_BUSY', 'The server is closing.')
      for (const job of waiting) job.end(closing)
      for (const seat of seats) seat.job?.end(closing)
      await Promise.all([...seats].map(({ worker }) => worker.terminate()))
    },
  })
}

export type OpenSimulations = Simulations & {
  /** Ends every thread; what runs or waits is refused with `SERVER_BUSY`. */
  close(): Promise<void>
}

export type SimulationsOptions = {
  /** How many run at once. */
  readonly threads: number
  /** How many may wait for a thread. */
  readonly maxWaiting?: number
  /** How long a simulation may take, waiting included. */
  readonly deadlineMs?: number
  /** Where the program of a thread lies. */
  readonly program?: () => URL
}

type Seat = { readonly worker: Worker; job: Job | null }

type Job = {
  readonly simulation: SimulationOptions
  readonly stop: Int32Array
  readonly caller: SimulationCaller
  isOver(): boolean
  /** Answers the caller, once: a failure, or what was simulated. */
  end(outcome: Error | SimulationRun): void
}

type JobMeans = {
  readonly deadlineMs: number
  readonly resolve: (run: SimulationRun) => void
  readonly reject: (error: Error) => void
  readonly forget: (job: Job) => void
}

function createJob(simulation: SimulationOptions, caller: SimulationCaller, means: JobMeans): Job {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  let isOver = false
  const job: Job = {
    simulation,
    caller,
    stop,
    isOver: () => isOver,
    end(outcome) {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      caller.signal.removeEventListener('abort', leave)
      Atomics.store(stop, 0, 1)
      means.forget(job)
      if (outcome instanceof Error) means.reject(outcome)
      else means.resolve(outcome)
    },
  }
  const leave = () => job.end(left())
  const late = new ToolError('SIMULATION_TIMEOUT', `The simulation took longer than ${means.deadlineMs} ms.`)
  const timer = setTimeout(() => job.end(late), means.deadlineMs)
  caller.signal.addEventListener('abort', leave, { once: true })
  return job
}

function begin(seat: Seat, job: Job): void {
  seat.job = job
  seat.worker.ref()
  seat.worker.postMessage({ options: job.simulation, stop: job.stop })
}

/** Whether the thread has ended its task. */
function hear(seat: Seat, message: SimulationMessage): boolean {
  const { job, worker } = seat
  if (message.kind === 'progress') {
    if (job?.isOver() === false) job.caller.onProgress?.(message.done, message.of)
    return false
  }
  seat.job = null
  worker.unref()
  if (message.kind === 'result') job?.end(message.run)
  else job?.end(new Error(message.kind === 'failed' ? message.message : 'The simulation was stopped.'))
  return true
}

function left(): ToolError {
  return new ToolError('CANCELLED', 'The caller left before the answer was ready.')
}
