import { join } from 'node:path'
import * as z from 'zod'
import { readFileIfPresent } from './read-file-if-present.ts'
import { replaceFileDurably } from './replace-file-durably.ts'

/**
 * Counts transactions that were mined and reverted, one after another, and opens after `maxConsecutiveFailures`. The
 * state is the file `breaker.json` in the data directory: it outlives the process, and an open breaker stays open until
 * the operator removes the file. It is read anew each time; a file that makes no sense counts as open.
 */
export function createCircuitBreaker(options: {
  readonly dataDir: string
  readonly maxConsecutiveFailures: number
  /** Unix milliseconds. */
  readonly now: () => number
}): CircuitBreaker {
  const path = join(options.dataDir, 'breaker.json')
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  return Object.freeze({
    isOpen: async () => (await readState(path)).openedAt !== null,
    recordSuccess: () =>
      inOrder(async () => {
        const state = await readState(path)
        if (state.openedAt === null && state.consecutiveFailures > 0) {
          await replaceFileDurably(path, JSON.stringify(closed))
        }
      }),
    recordFailure: (cause: string) =>
      inOrder(async () => {
        const state = await readState(path)
        if (state.openedAt !== null) return false
        const consecutiveFailures = state.consecutiveFailures + 1
        const opens = consecutiveFailures >= options.maxConsecutiveFailures
        const openedAt = opens ? new Date(options.now()).toISOString() : null
        await replaceFileDurably(path, JSON.stringify({ consecutiveFailures, openedAt, cause } satisfies State))
        return opens
      }),
  })
}

export type CircuitBreaker = {
  isOpen(): Promise<boolean>
  recordSuccess(): Promise<void>
  /** Counts one failure; resolves to whether it opened the breaker. `cause` is for the operator who reads the file. */
  recordFailure(cause: string): Promise<boolean>
}

const stateSchema = z.object({
  consecutiveFailures: z.int().min(0),
  openedAt: z.string().nullable(),
  cause: z.string().nullable(),
})

type State = z.output<typeof stateSchema>

const closed: State = { consecutiveFailures: 0, openedAt: null, cause: null }

async function readState(path: string): Promise<State> {
  const text = await readFileIfPresent(path)
  if (text === null) return closed
  try {
    return stateSchema.parse(JSON.parse(text))
  } catch {
    return { consecutiveFailures: 0, openedAt: 'unknown', cause: 'the file cannot be read' }
  }
}
