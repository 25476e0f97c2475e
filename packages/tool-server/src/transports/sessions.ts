import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { isPassing, type Principal } from '@svc/engine'
import type { Lazy } from '../lazily.ts'

/** What a principal keeps open: a session, or a connection that is one. It belongs to whoever opened it and authenticates nobody. */
export type Held = {
  readonly id: string
  /** Who opened it, with the rights they had then, or have got since by stepping up. */
  principal: Principal
  readonly transport: { close(): Promise<void> }
  /** Requests being answered, by their JSON-RPC id. */
  readonly inFlight: ReadonlyMap<string | number, { abort(): void }>
  /** Open exchanges of any kind; what has one is not idle. */
  readonly exchanges: number
  /** Milliseconds on the clock of the sessions. */
  lastSeenAt: number
}

/** A protocol session of the 2025 revisions. */
export type Session = Held & {
  /** Whether its client shows forms to a person. */
  readonly takesForms: boolean
  /** Whether its client shows views of answers. */
  readonly showsViews: boolean
  /** The protocol library's end of it, which a session of plain requests never needs. */
  readonly sdkTransport: Lazy<WebStandardStreamableHTTPServerTransport>
  /** Whether its client has said that it has begun. */
  hasBegun: boolean
  readonly inFlight: Map<string | number, AbortController>
  exchanges: number
}

export type Sessions<One extends Held = Session> = {
  readonly size: number
  /**
   * Whether this principal may open one more session. The sessions of all may be held by one principal only as long as
   * nobody else wants any: when none is left, a principal that holds fewer than the one with the most takes the place
   * of that one's longest unused session, as far as it is answering no call. Before anybody else, wallets to which nothing is granted
   * give way to whom the operator knows: of those one person makes a thousand.
   */
  makeRoom(principal: Principal): boolean
  add(session: One): void
  /**
   * Finds a session of this principal. Another principal's session is as unknown as none, and so is one that was opened with other rights:
   * those of a wallet change with its role and the policy. A token with more scopes of the same client of an authorization server takes the
   * session over, for its protocol has no other way of going on; one with less finds it no more.
   */
  find(id: string, principal: Principal): One | null
  /** Forgets a session and aborts what it was answering. */
  remove(id: string): void
  /** Closes sessions that were idle for too long. */
  sweep(): Promise<void>
  closeAll(): Promise<void>
}

/** A capped map of sessions. */
export function createSessions<One extends Held = Session>(options: {
  readonly max: number
  readonly idleMs: number
  readonly now: () => number
}): Sessions<One> {
  const { max, idleMs, now } = options
  const sessions = new Map<string, One>()
  const remove = (id: string) => {
    const session = sessions.get(id)
    sessions.delete(id)
    for (const call of session?.inFlight.values() ?? []) call.abort()
  }
  const close = async (session: One) => {
    remove(session.id)
    await session.transport.close()
  }
  return {
    get size() {
      return sessions.size
    },
    makeRoom(principal) {
      if (sessions.size < max) return true
      const given = givenUp([...sessions.values()], principal)
      if (given === undefined) return false
      void close(given)
      return true
    },
    add: (session) => void sessions.set(session.id, session),
    find(id, principal) {
      const session = sessions.get(id)
      if (session === undefined) return null
      if (!hasSameRights(session.principal, principal)) {
        if (!hasSteppedUp(session.principal, principal)) return null
        session.principal = principal
      }
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
 * The session that is given up for a principal: one of a passing wallet for others than those, else one of whoever has the most, unless that
 * would only turn the two round. A session without an open stream goes first.
 */
function givenUp<One extends Held>(sessions: readonly One[], principal: Principal): One | undefined {
  const passing = isPassing(principal) ? undefined : longestUnused(sessions.filter((one) => isPassing(one.principal)))
  if (passing !== undefined) return passing
  const counts = new Map<string, number>()
  for (const { principal: holder } of sessions) counts.set(holder.id, (counts.get(holder.id) ?? 0) + 1)
  const most = Math.max(...counts.values())
  if (most <= (counts.get(principal.id) ?? 0) + 1) return undefined
  return longestUnused(sessions.filter((session) => counts.get(session.principal.id) === most))
}

function longestUnused<One extends Held>(sessions: readonly One[]): One | undefined {
  return sessions
    .filter(({ inFlight }) => inFlight.size === 0)
    .toSorted((a, b) => Math.min(a.exchanges, 1) - Math.min(b.exchanges, 1) || a.lastSeenAt - b.lastSeenAt)[0]
}

function hasSameRights(one: Principal, other: Principal): boolean {
  if (one === other) return true
  if (one.id !== other.id || one.tier !== other.tier || one.scopes.size !== other.scopes.size) return false
  return [...one.scopes].every((scope) => other.scopes.has(scope))
}

function hasSteppedUp(from: Principal, to: Principal): boolean {
  return to.stage === 'oauth' && from.id === to.id && [...from.scopes].every((scope) => to.scopes.has(scope))
}
