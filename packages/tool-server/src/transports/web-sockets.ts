import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { ToolError } from '@svc/amm'
import type { Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { type WebSocket, WebSocketServer } from 'ws'
import { admitUpgrade } from '../pipeline.ts'
import type { Traffic } from '../traffic.ts'
import { HttpRefusal } from './answers.ts'
import { type BoundTransport, boundCalls } from './bound-calls.ts'
import type { LoadProtocol } from './protocol.ts'
import { holdToCredentials, refuse, type RequestContext } from './request-stages.ts'
import { createSessions, type Held } from './sessions.ts'
import { closeCodes, createWebSocketTransport, credentialsOver } from './web-socket-transport.ts'

/** The WebSocket transport: each connection is a session of whoever opened it, in either era of the protocol. */
export type WebSockets = {
  /** Answers an upgrade, or throws an `HttpRefusal`. `release` gives the socket up for the handshake. */
  take(upgrade: Upgrade, context: RequestContext, release: () => void): Promise<void>
  /** Takes nothing more, and waits for the calls that are being answered, for at most `timeoutMs`. */
  finish(timeoutMs: number): Promise<void>
  /** Says goodbye to every client, and cuts off those that do not answer it within a second. */
  close(): Promise<void>
}

export type Upgrade = { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer }

export type WebSocketOptions = {
  readonly protocol: LoadProtocol
  readonly limits: { readonly maxSessions: number; readonly sessionIdleMs: number; readonly pingMs: number }
  readonly traffic: Pick<Traffic, 'came' | 'answered'> | undefined
  /** Milliseconds that only grow. */
  readonly now: () => number
  readonly log: Log
}

export function createWebSockets(options: WebSocketOptions): WebSockets {
  const { limits, now, protocol } = options
  const connections = createSessions<Connection>({ max: limits.maxSessions, idleMs: limits.sessionIdleMs, now })
  const open = new Set<Connection>()
  const server = new WebSocketServer(serverOptions)
  const state = { closing: false }
  const pinging = setInterval(() => {
    for (const connection of open) ping(connection)
    void connections.sweep()
  }, limits.pingMs).unref()
  return Object.freeze({
    async take({ request, socket, head }: Upgrade, context: RequestContext, release: () => void) {
      const admitted = await admitUpgrade(request, context)
      const { principal } = admitted
      const { newMcpServer } = await protocol()
      if (state.closing) throw refuse('SERVER_BUSY', 'The server is closing.')
      if (!connections.makeRoom(principal)) {
        throw new HttpRefusal(new ToolError('SESSION_LIMIT', 'The server holds no more connections.'))
      }
      release()
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = connect(webSocket, { request, context, ...admitted }, { ...options, connections })
        open.add(connection)
        webSocket.on('close', () => open.delete(connection))
        const onerror = (error: unknown) => options.log.debug('mcp.websocket', { error })
        serveStdio(({ era }) => newMcpServer(() => principal, era), {
          transport: connection.transport,
          maxSubscriptions: mostSubscriptions,
          onerror,
        })
      })
    },
    async finish(timeoutMs: number) {
      state.closing = true
      await within(
        timeoutMs,
        [...open].map(({ transport }) => transport.finish()),
      )
    },
    async close() {
      state.closing = true
      clearInterval(pinging)
      const goodbyes = [...open].map(({ webSocket }) => {
        webSocket.close(closeCodes.goingAway, 'The server is closing.')
        return new Promise<void>((resolve) => webSocket.on('close', () => resolve()))
      })
      await within(goodbyeMs, goodbyes)
      for (const { webSocket } of open) webSocket.terminate()
    },
  })
}

type Connection = Held & { readonly transport: BoundTransport; readonly webSocket: WebSocket; isThere: boolean }

type Opened = {
  readonly request: IncomingMessage
  readonly context: RequestContext
  readonly principal: Principal
  readonly address: string
}

function connect(
  webSocket: WebSocket,
  { request: { headers }, context, principal, address }: Opened,
  {
    connections,
    now,
    traffic,
  }: WebSocketOptions & { readonly connections: ReturnType<typeof createSessions<Connection>> },
): Connection {
  const id = randomUUID()
  const wire = createWebSocketTransport(webSocket, {
    async areCredentialsGood() {
      connection.isThere = true
      const { principal: asOfNow } = await context.authenticate(headers)
      return asOfNow !== null && connections.find(id, asOfNow) !== null
    },
    async charge() {
      const { perAddress, perPrincipal } = context.limits
      const ofAddress = await perAddress.take(address)
      return ofAddress.allowed ? perPrincipal.take(principal.id) : ofAddress
    },
  })
  const transport = boundCalls(wire, { most: mostCallsAtOnce, traffic })
  const connection: Connection = {
    id,
    principal,
    transport,
    inFlight: transport.inFlight,
    get exchanges() {
      return transport.inFlight.size
    },
    lastSeenAt: now(),
    webSocket,
    isThere: true,
  }
  connections.add(connection)
  webSocket.on('close', () => connections.remove(id))
  webSocket.on('pong', () => {
    connection.isThere = true
  })
  const destroy = () => wire.end(closeCodes.policy, credentialsOver)
  let left: Promise<void> | undefined
  const held = {
    on: (_event: 'close', listener: () => void) => webSocket.on('close', listener),
    destroy,
    // Every look says it anew.
    finish: () => (left ??= transport.finish().then(destroy)),
  }
  holdToCredentials({ principal, response: held }, context.signIn, 'stream')
  return connection
}

/** A client that has answered nothing since it was asked is gone, or reads no more. */
function ping(connection: Connection): void {
  const { webSocket, isThere } = connection
  if (!isThere) return webSocket.terminate()
  connection.isThere = false
  webSocket.ping()
}

async function within(timeoutMs: number, ends: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([Promise.all(ends), patience])
  clearTimeout(timer)
}

/** Of one connection, as many as its caller may make in some three seconds. */
const mostCallsAtOnce = 32
/** Of one connection: a client listens to all that it wants at once. */
const mostSubscriptions = 4
const goodbyeMs = 1_000
const serverOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Answered by the transport, which bounds what is written.
  autoPong: false,
  maxPayload: 262_144,
  // What one message may be cut into; both bound what a few bytes a frame would make of memory.
  maxFragments: 1_024,
  maxBufferedChunks: 4_096,
  closeTimeout: goodbyeMs,
  handleProtocols: () => 'mcp',
}
