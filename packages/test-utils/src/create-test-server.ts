import type { RequestHandler } from 'msw'
import { setupServer } from 'msw/node'

/**
 * Answers the requests of this process by handlers, without a port. A request that no handler takes goes on to this
 * machine (127.0.0.1, localhost, ::1) and nowhere else: it fails, and `resetHandlers` or `close` throws and names it, so
 * that a test fails even where the code under test takes the failure in its stride.
 */
export function createTestServer(...handlers: readonly RequestHandler[]): TestServer {
  const server = setupServer(...handlers)
  const unanswered: string[] = []
  const requireAnswered = () => {
    const missed = unanswered.splice(0)
    if (missed.length > 0) throw new Error(`No handler takes these requests: ${missed.join('; ')}.`)
  }
  return {
    listen: () =>
      server.listen({
        onUnhandledRequest: ({ method, url }) => {
          const { origin, pathname, hostname } = new URL(url)
          if (ownHosts.has(hostname)) return
          const what = `${method} ${origin}${pathname}`
          unanswered.push(what)
          throw new Error(`No handler takes ${what}.`)
        },
      }),
    use: (...more) => server.use(...more),
    resetHandlers: () => {
      server.resetHandlers()
      requireAnswered()
    },
    close: () => {
      server.close()
      requireAnswered()
    },
  }
}

/** Handlers of a test at work. */
export type TestServer = {
  /** Begins to answer. One server of a process at a time. */
  readonly listen: () => void
  /** Adds handlers in front of the others, until `resetHandlers`. */
  readonly use: (...handlers: readonly RequestHandler[]) => void
  /** Back to the first handlers; what these remember stays. Throws when a request found no handler. */
  readonly resetHandlers: () => void
  /** Lets requests go out again. Throws when a request found no handler. */
  readonly close: () => void
}

const ownHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])
