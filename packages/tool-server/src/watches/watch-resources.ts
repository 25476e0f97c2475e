import type { Principal } from '@svc/engine'
import type { StoredWatchEvent, Watches } from '@svc/store'
import { shownWatch } from './shown-watch.ts'
import { shownEventTo, watchIdOf, watchUri } from './watch-event.ts'

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
