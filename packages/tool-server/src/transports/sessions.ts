import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Principal } from '../auth/principal.ts'

/** A protocol session of the 2025 revisions. It belongs to the principal that opened it and authenticates nobody. */
export type Session = {
  readonly id: string
  readonly principalId: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Requests being answered, by their JSON-RPC id. */
  readonly inFlight: Map<string | number, AbortController>
  /** Open exchanges of any kind; a session with one is not idle. */
  exchanges: number
  /** Milliseconds on the clock of the sessions. */
  lastSeenAt: number
}

export type Sessions = {
  readonly size: number
  readonly full: boolean
  add(session: Session): void
  /** Finds a session of this principal. Another principal's session is as unknown as none. */
  find(id: string, principal: Principal): Session | null
  /** Forgets a session and aborts what it was answering. */
  remove(id: string): void
  /** Closes sessions that were idle for too long. */
  sweep(): Promise<void>
  closeAll(): Promise<void>
}

/** A capped map of sessions. */
export function createSessions(options: {
  readonly max: number
  readonly idleMs: number
  readonly now: () => number
}): Sessions {
  const { max, idleMs, now } = options
  const sessions = new Map<string, Session>()
  const remove = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    for (const call of session?.inFlight.values() ?? []) call.abort()
  }
  const close = async (session: Session) => {
    remove(session.id)
    await session.transport.close()
  }
  return {
    get size() {
      return sessions.size
    },
    get full() {
      return sessions.size >= max
    },
    add: (session) => void sessions.set(session.id, session),
    find(id, principal) {
      const session = sessions.get(id)
      if (session === undefined || session.principalId !== principal.id) return null
      session.lastSeenAt = now()
      return session
    },
    remove,
    async sweep() {
      const idle = [...sessions.values()].filter(
        (session) => session.exchanges === 0 && now() - session.lastSeenAt >= idleMs,
      )
      await Promise.all(idle.map(close))
    },
    async closeAll() {
      await Promise.all([...sessions.values()].map(close))
    },
  }
}
