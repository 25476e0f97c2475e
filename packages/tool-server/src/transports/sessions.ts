import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Principal } from '@svc/engine'

/** A protocol session of the 2025 revisions. It belongs to the principal that opened it and authenticates nobody. */
export type Session = {
  readonly id: string
  readonly principalId: string
  /** Whether its client shows forms to a person. */
  readonly takesForms: boolean
  /** Whether its client shows views of answers. */
  readonly showsViews: boolean
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
  /**
   * Whether this principal may open one more session. The sessions of all may be held by one principal only as long as
   * nobody else wants any: when none is left, a principal that holds fewer than the one with the most takes the place
   * of that one's longest unused session, as far as it is answering no call.
   */
  makeRoom(principal: Principal): boolean
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
    makeRoom(principal) {
      if (sessions.size < max) return true
      const given = givenUp([...sessions.values()], principal.id)
      if (given === undefined) return false
      void close(given)
      return true
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

/**
 * The session that the principal with the most gives up for `principalId`; none when that would only turn the two round.
 * A session without an open stream goes first.
 */
function givenUp(sessions: readonly Session[], principalId: string): Session | undefined {
  const counts = new Map<string, number>()
  for (const { principalId: owner } of sessions) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const most = Math.max(...counts.values())
  if (most <= (counts.get(principalId) ?? 0) + 1) return undefined
  return sessions
    .filter((session) => counts.get(session.principalId) === most && session.inFlight.size === 0)
    .toSorted((a, b) => Math.min(a.exchanges, 1) - Math.min(b.exchanges, 1) || a.lastSeenAt - b.lastSeenAt)[0]
}
