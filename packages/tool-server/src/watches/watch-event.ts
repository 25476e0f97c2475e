import { isUuid } from '@svc/runtime'
import type { Principal } from '@svc/engine'
import type { StoredWatchEvent } from '@svc/store'
import * as z from 'zod'
import { rebalanceCheck } from './check-rebalance.ts'

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
export function watchIdOf(uri: string): string | null {
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
