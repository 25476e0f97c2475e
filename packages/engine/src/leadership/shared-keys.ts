import { type SharedSwitches, StoreError } from '@svc/store'

/**
 * What the servers of a database say of the API keys that clients come with: the one that leads keeps it there for the others, and whoever takes
 * the lead later keeps what it has said itself. The engine knows neither keys nor their form.
 */
export function createSharedKeys(switches: SharedSwitches): LedKeys {
  let own: string | null = null
  const write = (text: string | null): Promise<boolean> =>
    switches.replace('keys', text).then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreError && error.code === 'NOT_LEADER') return false
        throw error
      },
    )
  return Object.freeze({
    read: () => switches.read('keys'),
    keep: (text: string) => {
      own = text
      return write(text)
    },
    async lead(how: 'start' | 'takeover') {
      // A server that starts has said nothing yet, and what the one before it took may hold no more.
      if (own !== null || how === 'start') await write(own)
    },
  })
}

export type SharedKeys = {
  /** What the leader has said; `null` where it has not yet. */
  read(): Promise<string | null>
  /** Says it, as soon as this server leads and each time it leads again. False where it does not lead now. */
  keep(text: string): Promise<boolean>
}

export type LedKeys = SharedKeys & {
  /** With the lead, before anything is served. */
  lead(how: 'start' | 'takeover'): Promise<void>
}
