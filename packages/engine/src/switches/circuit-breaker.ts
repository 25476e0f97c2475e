import { stat } from 'node:fs/promises'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import { type PastTime, type SwitchDecision, switchHistory, withEnded } from './kill-switch.ts'
import { readSwitch, switchFile, type SwitchPlace, writeSwitch } from './switch-text.ts'

/**
 * Stops signing when too much goes wrong: after `maxConsecutiveFailures` transactions in a row that were mined and
 * reverted, after `maxFailuresInWindow` failures of any kind within `windowMinutes`, or when asked to. What others can bring
 * about (failures, a balance that falls, a pool that gives a simulation what it keeps on the chain) does not stop calls that
 * only bring funds home; a call that took more than its calldata permits does. The state is the file `breaker.json` in the data directory, or stands in the database that servers share: it outlives the process, and
 * an open breaker stays open until `rearm`. It is read anew each time; a file that makes no sense counts as open, and it
 * and one that does not say what opened it stop everything.
 */
export function createCircuitBreaker(options: BreakerOptions): CircuitBreaker {
  const { now } = options
  const place = options
  const inOrder = createMutex()
  const openWith = async (state: State, cause: string, openedBy: OpenedBy | null): Promise<true> => {
    await write(place, { ...state, openedAt: state.openedAt ?? new Date(now()).toISOString(), cause, openedBy })
    return true
  }
  return Object.freeze({
    stops: async () => stopsOf(await readState(place)),
    status: async () => {
      const state = await readState(place)
      const { openedAt: since, rearmed, past } = state
      const { cause, openedBy } = since === null ? closed : state
      return { open: since !== null, since, cause, openedBy, stops: stopsOf(state), rearmed, past }
    },
    recordSuccess: () =>
      inOrder(async () => {
        const state = await readState(place)
        if (state.openedAt === null && state.consecutiveFailures > 0) {
          await write(place, { ...state, consecutiveFailures: 0 })
        }
      }),
    recordFailure: (cause: string, kind: FailureKind = 'reverted') =>
      inOrder(async () => {
        const state = await readState(place)
        if (state.openedAt !== null) return false
        const limits = options.limits()
        const from = now() - limits.windowMinutes * 60_000
        const failedAt = [...state.failedAt.filter((at) => at > from && at <= now()), now()]
        const consecutiveFailures = state.consecutiveFailures + (kind === 'reverted' ? 1 : 0)
        const next = { ...state, consecutiveFailures, failedAt }
        if (consecutiveFailures >= limits.maxConsecutiveFailures) {
          return openWith(
            next,
            `${consecutiveFailures} transactions in a row were mined and reverted; ${cause}`,
            'failures',
          )
        }
        if (failedAt.length >= limits.maxFailuresInWindow) {
          return openWith(next, `${failedAt.length} failures within ${limits.windowMinutes} min; ${cause}`, 'failures')
        }
        await write(place, next)
        return false
      }),
    trip: (cause: string, openedBy: OpenedBy | null = null) =>
      inOrder(async () => {
        const state = await readState(place)
        if (state.openedAt === null) return openWith(state, cause, openedBy)
        if (stopsOf(state) === 'everything' || stopsOf({ ...state, openedBy }) !== 'everything') return false
        return openWith(state, `${state.cause}; then ${cause}`, openedBy)
      }),
    rearm: (decision: Omit<SwitchDecision, 'reason'>) =>
      inOrder(async () => {
        const { openedAt: since, cause, openedBy, past } = await readState(place)
        if (since === null) return false
        const rearmed = { by: decision.by, at: decision.at }
        await write(place, { ...closed, rearmed, past: withEnded(past, { since, cause, openedBy }, rearmed) })
        return true
      }),
  })
}

/** Opens it as `trip` does, and has what that stops noticed at once. */
export async function openBreaker(
  {
    breaker,
    switches,
  }: { readonly breaker: Pick<CircuitBreaker, 'trip'>; readonly switches: { look(): Promise<void> } },
  cause: string,
  openedBy: OpenedBy,
): Promise<void> {
  if (await breaker.trip(cause, openedBy)) await switches.look()
}

export type BreakerOptions = SwitchPlace & {
  /** As the policy has them now. */
  readonly limits: () => BreakerLimits
  /** Unix milliseconds. */
  readonly now: () => number
}

export type CircuitBreaker = {
  stops(): Promise<BreakerStops>
  status(): Promise<BreakerStatus>
  /** Ends a row of reverted transactions; an open breaker stays open. */
  recordSuccess(): Promise<void>
  /** Counts one failure; resolves to whether it opened the breaker. `cause` is for the operator who reads the file. */
  recordFailure(cause: string, kind?: FailureKind): Promise<boolean>
  /**
   * Opens it for `cause`, for everything unless it is said what opens it. One that let ways home pass until then stops them
   * too where this would. Resolves to whether it stops more than before.
   */
  trip(cause: string, openedBy?: OpenedBy): Promise<boolean>
  /** Closes it and forgets what was counted: the operator's word alone. False when it was not open. */
  rearm(decision: Omit<SwitchDecision, 'reason'>): Promise<boolean>
}

export type BreakerStatus = {
  readonly open: boolean
  /** ISO 8601; when the file was written where it makes no sense. */
  readonly since: string | null
  readonly cause: string | null
  readonly openedBy: OpenedBy | null
  readonly stops: BreakerStops
  /** Who last re-armed it, and when. */
  readonly rearmed: { readonly by: string; readonly at: string } | null
  /** The openings that were re-armed, oldest first. */
  readonly past: readonly PastTime<Opening>[]
}

export type Opening = Pick<State, 'cause' | 'openedBy'> & { readonly since: string }

/** `everything` that is signed, but what ends what is out and takes allowances back. */
export type BreakerStops = 'nothing' | 'all-but-ways-home' | 'everything'

/**
 * Failures that pile up, a balance that falls, a call that brought less than its simulation showed, or one that took more than it may.
 */
const openers = ['failures', 'balance', 'shortfall', 'drift'] as const

export type OpenedBy = (typeof openers)[number]

/** `other`: signed, and then refused by the endpoint or pushed aside by another transaction. */
export type FailureKind = 'reverted' | 'other'

export type BreakerLimits = {
  readonly maxConsecutiveFailures: number
  readonly maxFailuresInWindow: number
  readonly windowMinutes: number
}

/** `null` where nobody said, as in files from before it was said. */
const openedBy = z.enum(openers).nullable().default(null)

const stateSchema = z.object({
  consecutiveFailures: z.int().min(0),
  /** Unix milliseconds. */
  failedAt: z.array(z.number().min(0)).max(20_000).default([]),
  openedAt: z.string().nullable(),
  cause: z.string().nullable(),
  openedBy,
  rearmed: z.object({ by: z.string(), at: z.string() }).nullable().default(null),
  past: switchHistory(z.object({ since: z.string(), cause: z.string().nullable(), openedBy })),
})

type State = z.output<typeof stateSchema>

const closed: State = {
  consecutiveFailures: 0,
  failedAt: [],
  openedAt: null,
  cause: null,
  openedBy: null,
  rearmed: null,
  past: [],
}

function stopsOf({ openedAt, openedBy }: State): BreakerStops {
  if (openedAt === null) return 'nothing'
  return openedBy === null || openedBy === 'drift' ? 'everything' : 'all-but-ways-home'
}

function write(place: SwitchPlace, state: State): Promise<void> {
  return writeSwitch(place, 'breaker', JSON.stringify(state))
}

async function readState(place: SwitchPlace): Promise<State> {
  const text = await readSwitch(place, 'breaker')
  if (text === null) return closed
  try {
    return stateSchema.parse(JSON.parse(text))
  } catch {
    const cause = 'breaker.json cannot be read, which counts as open; re-arm to replace it'
    return { ...closed, openedAt: await writtenAt(place), cause }
  }
}

/** A row says nothing of when it was written. */
async function writtenAt({ dataDir, sharedSwitches }: SwitchPlace): Promise<string> {
  if (sharedSwitches !== undefined) return new Date(0).toISOString()
  return (await stat(switchFile(dataDir, 'breaker'))).mtime.toISOString()
}
