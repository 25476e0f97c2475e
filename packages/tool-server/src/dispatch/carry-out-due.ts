import type { Operation } from '@svc/store'
import type { CarriedOut } from './carry-out.ts'
import type { OperationsPipeline } from '@svc/engine'
import { ToolError } from '@svc/amm'

/**
 * Makes one look at the stored writes whose time has come: carries them out one after the other, at each turn one of every
 * principal, and looks again after a turn, so that what has become due meanwhile waits for no more than one of each other
 * principal. What fails for a reason that passes waits longer each time, up to five minutes, and is tried again; how often
 * it failed is forgotten with the process, the operation is not. Never rejects but with what the store says.
 */
export function createDueRun(options: {
  readonly operations: Pick<OperationsPipeline, 'due'>
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
      const { error, waitsAgain: again } = outcome
      // A refusal says all there is in a sentence; only what nobody expected needs its stack.
      const why =
        error instanceof ToolError ? { code: error.code, message: error.message } : { code: 'INTERNAL', error }
      log.warn('operation.unfinished', { operationId: id, tool, ...why, again })
    }
    if (outcome.ok || !outcome.waitsAgain) {
      waits.delete(id)
      return
    }
    const failures = (waits.get(id)?.failures ?? 0) + 1
    waits.set(id, { failures, until: now() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1)) })
  }

  function mayTry({ id }: Operation): boolean {
    const wait = waits.get(id)
    // A clock that was set back must not hold a try for longer than the longest wait.
    return wait === undefined || now() >= wait.until || wait.until - now() > longestWaitMs
  }

  /** The first of each principal that may be tried now; those that wait after a failure take no place from others. */
  async function nextTurn(): Promise<readonly Operation[]> {
    const most = mostAtOnce + waits.size
    const due = await operations.due(most)
    // One that a full answer leaves out may be due all the same.
    const isDue = due.length < most ? new Set(due.map(({ id }) => id)) : null
    for (const id of waits.keys()) if (isDue?.has(id) === false) waits.delete(id)
    return firstOfEach(due.filter(mayTry))
  }

  return async () => {
    for (let turns = 0; turns < mostTurns; turns += 1) {
      const turn = await nextTurn()
      if (turn.length === 0) return
      for (const operation of turn) await attempt(operation)
    }
  }
}

function firstOfEach(operations: readonly Operation[]): readonly Operation[] {
  const first = new Map<string, Operation>()
  for (const one of operations) if (!first.has(one.principalId)) first.set(one.principalId, one)
  return [...first.values()]
}

type DueLog = {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
}

const mostAtOnce = 100
/** Then the caller looks whether it should go on; nothing that is due is forgotten. */
const mostTurns = 100
const firstWaitMs = 2_000
const longestWaitMs = 5 * 60_000
