import type { RequestHandler } from 'msw'
import { setupServer } from 'msw/node'

/**
 * Answers the requests of this process by handlers, without a port. A request that no handler takes goes on to this
 * machine (127.0.0.1, localhost, ::1) and nowhere else: it fails, and `resetHandlers` or `close` throws and names it, so
 * that a test fails even where the code under test takes the failure in its stride. Throws `TypeError` for an argument that is none.
 */
export function createTestServer(...handlers: RequestHandler[]): TestServer {
  requireHandlers(handlers)
  const server = setupServer(...handlers)
  const unanswered: string[] = []
  const requireAnswered = () => {
    const missed = unanswered.splice(0)
    if (missed.length > 0) throw new Error(`No handler takes these requests: ${missed.join('; ')}.`)
  }
  return {
    listen: () => {
      takeTurn(server)
      server.listen({
        onUnhandledRequest: ({ method, url }) => {
          const { origin, pathname, hostname } = new URL(url)
          if (ownHosts.has(hostname)) return
          const what = `${method} ${origin}${pathname}`
          unanswered.push(what)
          throw new Error(`No handler takes ${what}.`)
        },
      })
    },
    use: (...more) => {
      requireHandlers(more)
      server.use(...more)
    },
    resetHandlers: () => {
      server.resetHandlers()
      requireAnswered()
    },
    close: () => {
      server.close()
      if (Reflect.get(globalThis, listening) === server) Reflect.deleteProperty(globalThis, listening)
      requireAnswered()
    },
  }
}

/** A set that was not spread is the usual slip. */
function requireHandlers(given: readonly unknown[]): void {
  for (const [index, one] of given.entries()) {
    if (typeof one === 'object' && one !== null && 'info' in one) continue
    const which = `Argument ${index + 1} of createTestServer`
    if (Array.isArray(one))
      throw new TypeError(`${which} is a set of handlers: spread it, as in createTestServer(...handlers).`)
    throw new TypeError(`${which} is no handler of msw: give what registryHandlers(...) and the like return, spread.`)
  }
}

/** Handlers of a test at work. */
export type TestServer = {
  /** Begins to answer. Throws while a test server of this process listens: requests would come to one of them alone. */
  readonly listen: () => void
  /** Adds handlers in front of the others, until `resetHandlers`. */
  readonly use: (...handlers: RequestHandler[]) => void
  /** Back to the first handlers; what these remember stays. Throws when a request found no handler. */
  readonly resetHandlers: () => void
  /** Lets requests go out again. Throws when a request found no handler. */
  readonly close: () => void
}

/** What answers is of the whole process: two copies of this package must see one another's. */
const listening = Symbol.for('@svc/test-utils: the server that listens')

function takeTurn(server: object): void {
  const other: unknown = Reflect.get(globalThis, listening)
  if (other === server) throw new Error('This test server listens already: close() it before it listens again.')
  if (other !== undefined) {
    throw new Error(
      'Another test server of this process listens already, and only one can answer. close() it first, or give one server the handlers of both: createTestServer(...some, ...others).',
    )
  }
  Reflect.set(globalThis, listening, server)
}

const ownHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])
