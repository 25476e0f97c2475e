import type { Operation } from '@svc/store'
import type { CarriedOut } from './dispatch/carry-out.ts'
import type { OperationsRoad } from './operations.ts'
import { ToolError } from './tool-error.ts'

/**
 * Makes one look at the stored writes whose time has come: carries each out, one after the other. What fails for a reason
 * that passes waits longer each time, up to five minutes, and is tried again; how often it failed is forgotten with the
 * process, the operation is not. Never rejects but with what the store says.
 */
export function createDueRun(options: {
  readonly operations: Pick<OperationsRoad, 'due'>
  readonly carryOut: (operation: Operation) => Promise<CarriedOut>
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: DueLog
}): () => Promise<void> {
  const { operations, carryOut, now, log } = options
  const waits = new Map<string, { readonly until: number; readonly failures: number }>()

  async function attempt(operation: Operation): Promise<void> {
    const { id, tool } = operation
    const outcome = await carryOut(operation).catch(
      (error: unknown) => ({ ok: false, error, waitsAgain: true }) as const,
    )
    if (outcome.ok) log.info('operation.done', { operationId: id, tool })
    else {
      const code = outcome.error instanceof ToolError ? outcome.error.code : 'INTERNAL'
      log.warn('operation.unfinished', { operationId: id, tool, code, error: outcome.error, again: outcome.waitsAgain })
    }
    if (outcome.ok || !outcome.waitsAgain) {
      waits.delete(id)
      return
    }
    const failures = (waits.get(id)?.failures ?? 0) + 1
    waits.set(id, { failures, until: now() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1)) })
  }

  return async () => {
    const due = await operations.due(mostAtOnce)
    const isDue = new Set(due.map(({ id }) => id))
    for (const id of waits.keys()) if (!isDue.has(id)) waits.delete(id)
    for (const operation of due) {
      const wait = waits.get(operation.id)
      // A clock that was set back must not hold a try for longer than the longest wait.
      if (wait === undefined || now() >= wait.until || wait.until - now() > longestWaitMs) await attempt(operation)
    }
  }
}

type DueLog = {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
}

const mostAtOnce = 100
const firstWaitMs = 2_000
const longestWaitMs = 5 * 60_000
