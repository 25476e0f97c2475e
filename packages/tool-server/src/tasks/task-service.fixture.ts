import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Principal, type Scope, storePrincipal } from '@svc/engine'
import { openStore, type Store, type StoredTask } from '@svc/store'
import { afterEach, beforeEach } from 'vitest'
import type { TaskWork } from './task.ts'
import { createTaskService, type TaskService, type TaskServiceOptions } from './task-service.ts'

/** A state of its own for each test, and services on it. */
export function useTasks(): TaskWorld {
  const world: TaskWorld = {
    now: 1_000,
    store: undefined as unknown as Store,
    isInForce: true,
    logged: [],
    cancelled: [],
    async reopen() {
      await world.store.close()
      world.store = await openStore({ path, now: () => world.now })
    },
    open: (options = {}) =>
      createTaskService({
        store: world.store.tasks,
        next: async () => ({ work: never }),
        isInForce: () => world.isInForce,
        requireLead: async () => {},
        cancelOperation: async ({ operationId }: StoredTask) => void world.cancelled.push(operationId),
        log: { warn: () => {}, error: (event, facts) => void world.logged.push([event, facts]) },
        ...options,
      }),
  }
  let path = ''
  beforeEach(async () => {
    Object.assign(world, { now: 1_000, isInForce: true, logged: [], cancelled: [] })
    path = join(mkdtempSync(join(tmpdir(), 'tasks-')), 'state.db')
    world.store = await openStore({ path, now: () => world.now })
  })
  afterEach(() => world.store.close())
  return world
}

export type TaskWorld = {
  /** Unix milliseconds. */
  now: number
  store: Store
  isInForce: boolean
  /** Errors of the log. */
  logged: unknown[]
  /** Operations that were to be cancelled. */
  cancelled: (string | null)[]
  /** As the next process does. */
  reopen(): Promise<void>
  /** A service; what another process left is not expected to be begun again unless `next` says so. */
  open(options?: Partial<TaskServiceOptions>): TaskService
}

export const never: TaskWork = () => Promise.reject(new Error('begun again'))
export const untilAborted: TaskWork = async ({ signal }) => {
  await aborted(signal)
  return { isCancelled: true }
}

export function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve))
}

/** For a question that may be answered for long. */
export const inTime = { withinMs: 60_000, isOver: async () => false }

export const principal = (id: string, ...scopes: Scope[]): Principal => ({
  id,
  stage: 'oauth',
  tier: null,
  scopes: new Set(scopes),
  expiresAt: null,
})
export const ann = principal('ann', 'read:market')

export async function begin(service: TaskService, work: TaskWork, caller = ann): Promise<string> {
  const task = await service.begin({ principal: caller, tool: 'slow', arguments: { a: 1 } }, work)
  if (task === null) throw new Error('there is no room')
  return task.taskId
}

/** A task of ann's as a process leaves it. */
export const stored = {
  owner: 'ann',
  isPassing: false,
  principal: storePrincipal(ann),
  tool: 'slow',
  arguments: '{}',
  ttlMs: 1_000,
}

export const status = async (service: TaskService, id: string) => (await service.get(ann, id))?.status
