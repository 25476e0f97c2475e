import { createDueRun, type WritePipeline } from './dispatch/carry-out.ts'
import type { Dispatch } from './dispatch/dispatch.ts'
import { type Principal, type SafetyReport, startSweeper } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { Config } from './config/config-shape.ts'
import type { Ports } from './ports.ts'
import { postWebhook, createWebhookRun } from './watches/webhooks.ts'
import { createWatchRun } from './watches/watch-run.ts'

/**
 * Carries out what was stored for a time that has come, and looks at what is watched: while the server serves, and first of all when it
 * starts to. What is watched waits for no write, and no write for it; that credentials were taken away stops tasks whatever else is under way.
 * `null` for a server without a wallet, which keeps neither.
 */
export function startScheduler(
  { write, ports }: { readonly write: ScheduledWrite | null; readonly ports: Ports },
  options: SchedulerOptions,
): Scheduler {
  if (write === null) return null
  const { dispatch, log } = options
  const now = Date.now
  const dueRun = createDueRun({
    operations: write.operations,
    carryOut: (operation) => dispatch.carryOutDue(operation),
    now,
    log,
  })
  const closing = new AbortController()
  const due = oneAtATime(dueRun, (work) => work())
  const watching = oneAtATime(watchWorks({ write, ports }, options, closing.signal), (work) => write.during(work))
  const epoch = () => write.role?.().epoch ?? 0n
  const tasks = oneAtATime(taskWork(dispatch, epoch), (work) => work())
  const sweep = async () => {
    dispatch.tasks?.service.stopRevoked()
    // What is kept for later is the leader's.
    if (write.role?.().role === 'follower') return
    tasks((error) => log.warn('tasks.unread', { error }))
    watching((error) => {
      if (!closing.signal.aborted) log.warn('watches.unread', { error })
    })
    due((error) => log.warn('operations.unread', { error }))
  }
  const sweeper = startSweeper({
    everyMs: dueEveryMs,
    sweep,
    onError: (error) => log.warn('tasks.unread', { error }),
  })
  return {
    stop() {
      closing.abort()
      sweeper.stop()
    },
  }
}

export type Scheduler = { stop(): void } | null

type ScheduledWrite = WritePipeline & { safety(principal: Principal): Promise<SafetyReport> }

export type SchedulerOptions = {
  readonly dispatch: Dispatch
  readonly config: Pick<Config, 'watchSeconds' | 'webhook'>
  /** Whether the server still takes the credentials of a principal. */
  readonly isInForce: (principal: Principal) => boolean
  readonly log: Log
}

/** One look at what is watched, then the webhooks that are due. */
function watchWorks(
  { write, ports }: { readonly write: ScheduledWrite; readonly ports: Ports },
  { dispatch, config, isInForce, log }: SchedulerOptions,
  signal: AbortSignal,
): () => Promise<void> {
  const { watches } = write
  if (watches === undefined) return async () => {}
  const { webhook } = config
  const common = { watches, signal, now: Date.now, log }
  const look = createWatchRun({
    ...common,
    ports,
    safety: (principal) => write.safety(principal),
    isInForce,
    hasWebhook: webhook !== null,
    publish: (event) => dispatch.watches.publish(event),
    everyMs: config.watchSeconds * 1_000,
  })
  const deliver = webhook === null ? async () => {} : createWebhookRun({ ...common, webhook, post: postWebhook })
  return async () => {
    await look()
    await deliver()
  }
}

/** Takes up what an earlier process left, with the first look after each time that the lead was taken; then goes on with what waits no longer. */
function taskWork({ tasks }: Dispatch, epoch: () => bigint): () => Promise<void> {
  let resumed: Promise<void> | null = null
  let resumedIn: bigint | null = null
  return async () => {
    if (resumedIn !== epoch()) resumed = null
    resumedIn = epoch()
    resumed ??= tasks?.service.resume() ?? Promise.resolve()
    await resumed.catch((error: unknown) => {
      resumed = null
      throw error
    })
    await tasks?.service.look()
  }
}

/** Begins a work unless it is still on its way. */
function oneAtATime(
  work: () => Promise<void>,
  during: (work: () => Promise<void>) => Promise<void>,
): (onError: (error: unknown) => void) => void {
  let isRunning = false
  return (onError) => {
    if (isRunning) return
    isRunning = true
    during(work)
      .catch(onError)
      .finally(() => (isRunning = false))
  }
}

/** How soon after its time an operation is looked for. */
const dueEveryMs = 1_000
