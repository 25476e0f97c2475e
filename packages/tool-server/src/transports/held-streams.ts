import { randomUUID } from 'node:crypto'
import { ToolError } from '@svc/amm'
import { HttpRefusal } from './answers.ts'
import type { Exchange } from './exchange.ts'
import { createSessions, type Held } from './sessions.ts'

/**
 * The streams of revision 2026-07-28, which belong to no session and end when their client leaves: as many at once as there may be sessions, and
 * shared among callers by the same rule.
 */
export function createHeldStreams({ max, now }: { readonly max: number; readonly now: () => number }): HeldStreams {
  const streams = createSessions<Held>({ max, idleMs: Infinity, now })
  return {
    hold({ principal, response }) {
      if (!streams.makeRoom(principal)) {
        throw new HttpRefusal(new ToolError('SESSION_LIMIT', 'The server holds no more streams.'))
      }
      const id = randomUUID()
      const transport = { close: async () => void response.destroy() }
      streams.add({ id, principal, transport, inFlight: new Map(), exchanges: 1, lastSeenAt: now() })
      response.on('close', () => streams.remove(id))
    },
  }
}

export type HeldStreams = {
  /** Holds an answer that is to be a stream, until it is closed; ends another for it where all are taken. Throws `SESSION_LIMIT`. */
  hold(exchange: Pick<Exchange, 'principal' | 'response'>): void
}
