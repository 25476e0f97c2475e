import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import type { SwitchDecision } from './kill-switch.ts'
import { readFileIfPresent } from './read-file-if-present.ts'
import { replaceFileDurably } from './replace-file-durably.ts'
import { type PastTime, switchHistory, withEnded } from './switch-history.ts'

/**
 * Stops signing when too much goes wrong: after `maxConsecutiveFailures` transactions in a row that were mined and
 * reverted, after `maxFailuresInWindow` failures of any kind within `windowMinutes`, or when told to. The state is the
 * file `breaker.json` in the data directory: it outlives the process, and an open breaker stays open until `rearm`. It is
 * read anew each time; a file that makes no sense counts as open.
 */
export function createCircuitBreaker(options: {
  readonly dataDir: string
  /** As the policy has them now. */
  readonly limits: () => BreakerLimits
  /** Unix milliseconds. */
  readonly now: () => number
}): CircuitBreaker {
  const { now } = options
  const path = join(options.dataDir, 'breaker.json')
  const inOrder = createMutex()
  const openWith = async (state: State, cause: string): Promise<true> => {
    await write(path, { ...state, openedAt: new Date(now()).toISOString(), cause })
    return true
  }
  return Object.freeze({
    isOpen: async () => (await readState(path)).openedAt !== null,
    status: async () => {
      const { openedAt, cause, rearmed, past } = await readState(path)
      return { open: openedAt !== null, since: openedAt, cause: openedAt === null ? null : cause, rearmed, past }
    },
    recordSuccess: () =>
      inOrder(async () => {
        const state = await readState(path)
        if (state.openedAt === null && state.consecutiveFailures > 0) {
          await write(path, { ...state, consecutiveFailures: 0 })
        }
      }),
    recordFailure: (cause: string, kind: FailureKind = 'reverted') =>
      inOrder(async () => {
        const state = await readState(path)
        if (state.openedAt !== null) return false
        const limits = options.limits()
        const from = now() - limits.windowMinutes * 60_000
        const failedAt = [...state.failedAt.filter((at) => at > from && at <= now()), now()]
        const consecutiveFailures = state.consecutiveFailures + (kind === 'reverted' ? 1 : 0)
        const next = { ...state, consecutiveFailures, failedAt }
        if (consecutiveFailures >= limits.maxConsecutiveFailures) {
          return openWith(next, `${consecutiveFailures} transactions in a row were mined and reverted; ${cause}`)
        }
        if (failedAt.length >= limits.maxFailuresInWindow) {
          return openWith(next, `${failedAt.length} failures within ${limits.windowMinutes} min; ${cause}`)
        }
        await write(path, next)
        return false
      }),
    trip: (cause: string) =>
      inOrder(async () => {
        const state = await readState(path)
        return state.openedAt === null && openWith(state, cause)
      }),
    rearm: (decision: Omit<SwitchDecision, 'reason'>) =>
      inOrder(async () => {
        const { openedAt, cause, past } = await readState(path)
        if (openedAt === null) return false
        const rearmed = { by: decision.by, at: decision.at }
        await write(path, { ...closed, rearmed, past: withEnded(past, { since: openedAt, cause }, rearmed) })
        return true
      }),
  })
}

export type CircuitBreaker = {
  isOpen(): Promise<boolean>
  status(): Promise<BreakerStatus>
  /** Ends a row of reverted transactions; an open breaker stays open. */
  recordSuccess(): Promise<void>
  /** Counts one failure; resolves to whether it opened the breaker. `cause` is for the operator who reads the file. */
  recordFailure(cause: string, kind?: FailureKind): Promise<boolean>
  /** Opens it for `cause`; resolves to whether it was closed until then. */
  trip(cause: string): Promise<boolean>
  /** Closes it and forgets what was counted: the operator's word alone. False when it was not open. */
  rearm(decision: Omit<SwitchDecision, 'reason'>): Promise<boolean>
}

export type BreakerStatus = {
  readonly open: boolean
  /** ISO 8601; when the file was written where it makes no sense. */
  readonly since: string | null
  readonly cause: string | null
  /** Who last re-armed it, and when. */
  readonly rearmed: { readonly by: string; readonly at: string } | null
  /** The openings that were re-armed, oldest first. */
  readonly past: readonly PastTime<Opening>[]
}

export type Opening = { readonly since: string; readonly cause: string | null }

/** `other`: signed, and then refused by the endpoint or pushed aside by another transaction. */
export type FailureKind = 'reverted' | 'other'

export type BreakerLimits = {
  readonly maxConsecutiveFailures: number
  readonly maxFailuresInWindow: number
  readonly windowMinutes: number
}

const stateSchema = z.object({
  consecutiveFailures: z.int().min(0),
  /** Unix milliseconds. */
  failedAt: z.array(z.number().min(0)).max(20_000).default([]),
  openedAt: z.string().nullable(),
  cause: z.string().nullable(),
  rearmed: z.object({ by: z.string(), at: z.string() }).nullable().default(null),
  past: switchHistory(z.object({ since: z.string(), cause: z.string().nullable() })),
})

type State = z.output<typeof stateSchema>

const closed: State = { consecutiveFailures: 0, failedAt: [], openedAt: null, cause: null, rearmed: null, past: [] }

function write(path: string, state: State): Promise<void> {
  return replaceFileDurably(path, JSON.stringify(state))
}

async function readState(path: string): Promise<State> {
  const text = await readFileIfPresent(path)
  if (text === null) return closed
  try {
    return stateSchema.parse(JSON.parse(text))
  } catch {
    const cause = 'breaker.json cannot be read, which counts as open; re-arm to replace it'
    return { ...closed, openedAt: (await stat(path)).mtime.toISOString(), cause }
  }
}
