import type { Principal } from '@svc/engine'
import type { StoredWatchEvent, Watches, StoredWatch } from '@svc/store'
import * as z from 'zod'
import { watchConditions, watchState, type Watched } from './conditions.ts'
import { isUuid } from '@svc/runtime'
import { rebalanceCheck } from '../analysis/position/rebalance-worth.ts'

/** Watches as resources: each is its owner's alone, and changes when something was found. */
export function createWatchResources({ watches, isOpenTo }: WatchResourcesOptions): WatchResources {
  const listeners = new Set<Listener>()
  return {
    async list(principal) {
      if (watches === null || !isOpenTo(principal)) return []
      const own = await watches.of(principal.id).list()
      return own.flatMap(({ id, version, positionId }) => ({
        uri: watchUri(id),
        name: `watch of the ${version} position ${positionId}`,
        mimeType,
      }))
    },
    async read(principal, uri) {
      const id = watchIdOf(uri)
      if (watches === null || id === null || !isOpenTo(principal)) return null
      const own = watches.of(principal.id)
      const watch = await own.byId(id)
      if (watch === null) return null
      const events = await own.events({ watchId: id, limit: mostEvents })
      const [shown] = shownWatch(watch, principal)
      const found = events.flatMap((event) => shownEventTo(principal, event))
      return { uri, mimeType, text: JSON.stringify({ watch: shown ?? null, events: found }) }
    },
    publish({ owner, watchId }) {
      const uri = watchUri(watchId)
      for (const listener of listeners) listener(owner, uri)
    },
    listen: (listener) => void listeners.add(listener),
  }
}

export type WatchResources = {
  list(principal: Principal): Promise<readonly WatchResource[]>
  /** A watch with the latest of its events; `null` for one that this principal does not have, and for other URIs. */
  read(principal: Principal, uri: string): Promise<(Omit<WatchResource, 'name'> & { readonly text: string }) | null>
  publish(event: Pick<StoredWatchEvent, 'owner' | 'watchId'>): void
  /** For as long as the server lives. */
  listen(listener: Listener): void
}

type WatchResource = { readonly uri: string; readonly name: string; readonly mimeType: string }

type Listener = (owner: string, uri: string) => void

type WatchResourcesOptions = {
  /** `null` where there is no store. */
  readonly watches: Watches | null
  /** Whether a principal may read what it watches. */
  readonly isOpenTo: (principal: Principal) => boolean
}

const mimeType = 'application/json'
const mostEvents = 20

/**
 * A watch as a caller sees it; none where what is stored is not one of ours. What is used of the limits is shown to those alone who may ask for
 * it, whatever another credential of the same caller once asked to have watched.
 */
export function shownWatch(watch: StoredWatch, caller: Pick<Principal, 'scopes'>): readonly ShownWatch[] {
  const read = readWatched(watch)
  if (read === null) return []
  const { conditions, state } = read
  const { at, ...figures } = state.measured ?? { at: null }
  const isShown = seesLimits(caller)
  return [
    {
      watchId: watch.id,
      uri: watchUri(watch.id),
      chainId: watch.chainId,
      version: watch.version,
      positionId: watch.positionId,
      conditions,
      state: watch.endedAt === null ? 'watching' : 'ended',
      holds: Object.entries(state.armed).flatMap(([kind, isArmed]) =>
        isArmed || (kind === 'limit' && !isShown) ? [] : [kind],
      ),
      measured:
        at === null
          ? null
          : { at: new Date(at * 1000).toISOString(), ...(figures as Figures), ...(!isShown && { limitPct: null }) },
      createdAt: new Date(watch.createdAt).toISOString(),
    },
  ]
}

/** Conditions and state of a stored watch; `null` where they are not ours. */
export function readWatched({ conditions, state }: Pick<StoredWatch, 'conditions' | 'state'>): Watched | null {
  try {
    return { conditions: watchConditions.parse(JSON.parse(conditions)), state: watchState.parse(JSON.parse(state)) }
  } catch {
    return null
  }
}

const percent = z.number().nullable()

export const watchResult = {
  watchId: z.string(),
  uri: z.string(),
  chainId: z.int(),
  version: z.string(),
  positionId: z.string(),
  conditions: z.object({
    outOfRange: z.boolean(),
    ilPct: percent,
    feeDropPct: percent,
    feesWaitingPct: percent,
    limitPct: percent,
    paysWithinDays: z.number(),
  }),
  state: z.enum(['watching', 'ended']),
  holds: z.array(z.string()).describe('Found, and not ceased since'),
  measured: z
    .object({
      at: z.string(),
      inRange: z.boolean(),
      ilPct: percent,
      feeDropPct: percent,
      feesWaitingPct: percent,
      limitPct: percent,
    })
    .nullable()
    .describe('At most an hour old'),
  createdAt: z.string(),
}

type Figures = Omit<NonNullable<ShownWatch['measured']>, 'at'>

export type ShownWatch = Readonly<z.output<z.ZodObject<typeof watchResult>>>

/** What an event tells beside its kind: figures and sentences of ours, no text of a chain. */
export const watchEventContent = z.strictObject({
  chain: z.strictObject({ id: z.int(), name: z.string() }),
  version: z.enum(['v3', 'v4']),
  positionId: z.string(),
  blockNumber: z.int().nullable(),
  measured: z.number().nullable(),
  threshold: z.number().nullable(),
  inRange: z.boolean().nullable(),
  message: z.string(),
  rebalance: rebalanceCheck.nullable(),
})

export type WatchEventContent = Readonly<z.output<typeof watchEventContent>>

/** Whether a caller may know how much of its limits is used. */
export function seesLimits({ scopes }: Pick<Principal, 'scopes'>): boolean {
  return scopes.has('admin:wallet')
}

/** What a caller hears of an event: of a limit nothing, unless it may know how much of that is used. */
export function shownEventTo(caller: Pick<Principal, 'scopes'>, event: StoredWatchEvent): readonly ShownEvent[] {
  return event.kind === 'limit' && !seesLimits(caller) ? [] : shownEvent(event)
}

/** An event as the operator sees it, at the webhook too; none where its content is not one of ours. */
export function shownEvent({ id, watchId, kind, content, createdAt }: StoredWatchEvent): readonly ShownEvent[] {
  const read = watchEventContent.safeParse(parsed(content))
  if (!read.success) return []
  return [{ eventId: id, watchId, kind, at: new Date(createdAt).toISOString(), ...read.data }]
}

export type ShownEvent = WatchEventContent & {
  readonly eventId: string
  readonly watchId: string
  readonly kind: string
  /** ISO 8601. */
  readonly at: string
}

/** Where a watch and its events are read as a resource. Nobody else can name it: its id is random, and whose it is is asked. */
export function watchUri(watchId: string): string {
  return `${uriStart}${watchId}`
}

/** `null` for what is not the URI of a watch. */
function watchIdOf(uri: string): string | null {
  if (!uri.startsWith(uriStart)) return null
  const id = uri.slice(uriStart.length)
  return isUuid(id) ? id : null
}

const uriStart = 'svc://watches/'

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
