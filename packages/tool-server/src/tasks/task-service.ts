import type { NewTask, StoredTask, TaskEnd, Tasks } from '@svc/store'
import { isPassing, type Principal, readPrincipal, storePrincipal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import {
  createLiveTask,
  type LiveTask,
  runningTask,
  takeBackQuestions,
  type TaskWork,
  endOf,
  failureOf,
  showTask,
  type TaskView,
} from './task.ts'

/**
 * Calls that are answered later. A task is on disk before its caller hears of it; what its work came to is, before anybody hears of that. Work
 * that a process left behind is begun again by the next one (`next`), as is what waited for an operation and waits no longer.
 */
export function createTaskService(options: TaskServiceOptions): TaskService {
  const { store, next, isInForce, requireLead, cancelOperation, log } = options
  const live = new Map<string, LiveTask>()
  const waiting = new Map<string, StoredTask>()
  const listeners = new Set<TaskListener>()
  let isStopped = false

  function publish(task: StoredTask | null): void {
    if (task === null) return
    const view = showTask(task, live.get(task.id))
    for (const hear of listeners) hear(task.owner, view)
  }

  function run(task: StoredTask, work: TaskWork): void {
    waiting.delete(task.id)
    const own = createLiveTask(readPrincipal(task.principal))
    live.set(task.id, own)
    own.ended = perform(task, own, work)
      .catch((error: unknown) => log.warn('task.unrecorded', { taskId: task.id, error }))
      .finally(() => leave(task, own))
  }

  /** By the time that the work ends, other work may have begun for the task. */
  function leave({ id }: StoredTask, own: LiveTask): void {
    if (live.get(id) === own) live.delete(id)
  }

  async function perform(task: StoredTask, own: LiveTask, work: TaskWork): Promise<void> {
    const running = runningTask(own, () => publish(task))
    const outcome = await work(running).catch((error: unknown) => failureOf(error, task, log))
    // What a closing server broke off is begun again by the next one.
    if (isStopped && !('result' in outcome && outcome.result['isError'] !== true)) return
    leave(task, own)
    if ('isCutOff' in outcome) return void waiting.set(task.id, task)
    try {
      if ('waitsFor' in outcome) return await wait(task, outcome.waitsFor)
      publish(await store.end(task.id, endOf(outcome, store.outcomeBytes)))
    } catch (error) {
      // The next look does it again, and finds what was done.
      if (!isStopped) waiting.set(task.id, task)
      throw error
    }
  }

  /** A cancellation that came before there was an operation is one of that. */
  async function wait(task: StoredTask, operationId: string): Promise<void> {
    const followed = await store.follow(task.id, operationId)
    if (followed !== null) waiting.set(task.id, followed)
    publish(followed)
    const now = followed ?? (await store.byId(task.owner, task.id))
    if (now !== null && now.cancelAskedAt !== null)
      await cancelOperation({ ...now, operationId }, readPrincipal(task.principal))
  }

  async function begin(call: TaskCall, work: TaskWork): Promise<TaskView | null> {
    const task = isStopped ? null : await store.add(newTask(call))
    if (task === null) return null
    // What is kept while the server closes is begun by the next one.
    if (!isStopped) run(task, work)
    return showTask(task, undefined)
  }

  async function follow(call: TaskCall, operationId: string): Promise<TaskView | null> {
    const task = isStopped ? null : await store.add({ ...newTask(call), operationId })
    if (task === null) return null
    waiting.set(task.id, task)
    return showTask(task, undefined)
  }

  async function find(caller: Principal, id: string): Promise<StoredTask | null> {
    const task = await store.byId(caller.id, id)
    return task !== null && covers(caller, readPrincipal(task.principal)) ? task : null
  }

  async function cancel(caller: Principal, id: string): Promise<boolean> {
    await requireLead()
    const task = await find(caller, id)
    if (task === null) return false
    const asked = await store.askCancel(id)
    if (asked === null) return true
    const own = live.get(id)
    if (own !== undefined) own.abort.abort()
    else if (asked.operationId !== null) await cancelOperation(asked, caller)
    else {
      const ended = await endWaiting(id, { state: 'cancelled', outcome: null })
      publish(ended)
      if (ended !== null && ended.operationId !== null) await cancelOperation(ended, caller)
    }
    return true
  }

  async function endWaiting(id: string, end: TaskEnd): Promise<StoredTask | null> {
    waiting.delete(id)
    return store.end(id, end)
  }

  function stopRevoked(): void {
    for (const { principal, abort } of live.values()) if (!isInForce(principal)) abort.abort()
  }

  async function look(): Promise<void> {
    for (const id of await store.forgetExpired()) {
      live.get(id)?.abort.abort()
      waiting.delete(id)
    }
    const unread = (taskId: string) => (error: unknown) => log.warn('task.unread', { taskId, error })
    for (const [id, own] of live) await takeBackQuestions(own).catch(unread(id))
    const waited = [...waiting.values()]
    for (const task of waited) {
      if (isStopped) return
      await goOn(task).catch(unread(task.id))
    }
  }

  async function goOn(task: StoredTask): Promise<void> {
    if (task.cancelAskedAt !== null && task.operationId !== null)
      await cancelOperation(task, readPrincipal(task.principal))
    const found = await next(task)
    if (isStopped || !waiting.has(task.id)) return
    if ('work' in found) run(task, found.work)
    else await keep(task, found.waitsUntil)
  }

  /** What waits longer than a task lives is kept for as long after that. */
  async function keep(task: StoredTask, until: number | null): Promise<void> {
    if (until === null || until + ttlMs <= task.expiresAt) return
    const kept = await store.keepUntil(task.id, until + ttlMs)
    if (kept !== null && waiting.has(task.id)) waiting.set(task.id, kept)
  }

  return Object.freeze({
    begin,
    follow,
    cancel,
    stopRevoked,
    look,
    async get(caller: Principal, id: string) {
      const task = await find(caller, id)
      return task === null ? null : showTask(task, live.get(id))
    },
    async getAll(caller: Principal, ids: readonly string[]) {
      const tasks = await store.byIds(caller.id, [...new Set(ids)])
      const shown = tasks.filter((task) => covers(caller, readPrincipal(task.principal)))
      return shown.map((task) => showTask(task, live.get(task.id)))
    },
    async answer(caller: Principal, id: string, responses: Readonly<Record<string, unknown>>) {
      // Where another server leads, nothing of the task runs here that could hear of it.
      await requireLead()
      const task = await find(caller, id)
      if (task === null) return false
      const asked = live.get(id)?.asked
      for (const [key, response] of Object.entries(responses)) {
        asked?.get(key)?.resolve(response)
      }
      publish(task)
      return true
    },
    listen(hear: TaskListener) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    async resume() {
      const open = await store.open()
      // What waited here under an earlier lead may have ended elsewhere.
      waiting.clear()
      for (const task of open.filter(({ id }) => !live.has(id))) {
        if (task.cancelAskedAt === null || task.operationId !== null) waiting.set(task.id, task)
        else publish(await store.end(task.id, { state: 'cancelled', outcome: null }))
      }
    },
    async stop() {
      isStopped = true
      const open = [...live.values()]
      for (const { abort } of open) abort.abort()
      await Promise.all(open.map(({ ended }) => ended))
    },
  })

  function newTask({ principal, tool, arguments: input }: TaskCall): NewTask {
    return {
      owner: principal.id,
      isPassing: isPassing(principal),
      principal: storePrincipal(principal),
      tool,
      arguments: JSON.stringify(input ?? {}),
      ttlMs,
    }
  }
}

export type TaskService = {
  /** Keeps a call as a task and begins its work; `null`, and nothing done, where there is no room for one more. */
  begin(call: TaskCall, work: TaskWork): Promise<TaskView | null>
  /** The same of a call that an operation decides about. */
  follow(call: TaskCall, operationId: string): Promise<TaskView | null>
  /** `null` where this caller has none of this id; so is one whose call had rights that the caller lacks. */
  get(caller: Principal, id: string): Promise<TaskView | null>
  /** The same of several, without those that there are none of. */
  getAll(caller: Principal, ids: readonly string[]): Promise<readonly TaskView[]>
  /** Hands what was asked for to the work; what was not asked for is left alone. False where there is no such task. Throws `NOT_LEADER`. */
  answer(caller: Principal, id: string, responses: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Has the work stop where it can. False where there is no such task. Throws `NOT_LEADER`. */
  cancel(caller: Principal, id: string): Promise<boolean>
  /** Hears of every change of a task. */
  listen(hear: TaskListener): () => void
  /** Takes up what an earlier process left, to go on with the next look. */
  resume(): Promise<void>
  /** Stops what runs for credentials that are not in force any more; waits for nothing. */
  stopRevoked(): void
  /** Goes on with what waits no longer, takes back questions that are decided, and forgets what is over. */
  look(): Promise<void>
  /** Ends all work; what had not come to its end goes on when the next process resumes. */
  stop(): Promise<void>
}

export type TaskListener = (owner: string, task: TaskView) => void

export type TaskCall = { readonly principal: Principal; readonly tool: string; readonly arguments: unknown }

/** Work, or until when it goes on waiting: Unix milliseconds, `null` where nothing says so. */
export type NextOfTask = { readonly work: TaskWork } | { readonly waitsUntil: number | null }

export type TaskServiceOptions = {
  readonly store: Tasks
  /** What is to be done about a task that waits, or that an earlier process left. */
  readonly next: (task: StoredTask) => Promise<NextOfTask>
  readonly isInForce: (principal: Principal) => boolean
  /** Throws `NOT_LEADER` of a server that follows another one. */
  readonly requireLead: () => Promise<void>
  /** Has the operation of a task end, if it can. */
  readonly cancelOperation: (task: StoredTask, caller: Principal) => Promise<void>
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** Two days: an operation waits a day at most for a person, and is tried for a day after its time. */
const ttlMs = 172_800_000

/** Whether a caller may see what a call of these rights came to. */
function covers(caller: Principal, { tier, scopes }: Principal): boolean {
  return caller.tier === tier && [...scopes].every((scope) => caller.scopes.has(scope))
}
