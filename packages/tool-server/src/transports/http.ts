import { createServer as createPlainServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, Socket } from 'node:net'
import type { Log } from '@svc/runtime'
import { handleRequest } from '../pipeline.ts'
import type { Observer } from '../observer.ts'
import type { Traffic } from '../traffic.ts'
import { answerFailure } from './answers.ts'
import { createBodyRoom } from './json-body.ts'
import { type RequestContext, track } from './request-stages.ts'
import type { WebSockets } from './web-sockets.ts'

/** The Streamable HTTP transport: everything between a socket and the two eras of the protocol. */
export type HttpTransport = {
  listen(address: { readonly host: string; readonly port: number }): Promise<AddressInfo>
  /** How many are open. */
  connections(): Promise<number>
  /** Stops accepting, lets calls in flight finish for at most `timeoutMs`, closes the streams, then every connection. */
  close(timeoutMs: number, closeStreams: () => Promise<void>): Promise<void>
}

/** How long a client may take. */
export type SlowClientLimits = {
  /** For the headers of a request, and for the handshake of TLS before them. */
  readonly headersTimeoutMs: number
  /** For the whole request, its headers among it. */
  readonly requestTimeoutMs: number
  /** Until it takes the next bytes of an answer; what was taken before is noticed once, so twice that at most. */
  readonly stalledMs: number
}

export type HttpOptions = Omit<RequestContext, 'inFlight' | 'streams' | 'bodies'> & {
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
  readonly slow: SlowClientLimits
  readonly bodyRoomBytes: number
  /** Hears of every request, and of the end of every answer. */
  readonly traffic?: Pick<Traffic, 'came' | 'answered'> | undefined
  /** Hears of each request that has been answered. */
  readonly onAnswered?: Observer['answered']
  /** Takes upgrades to WebSocket; without it, such a request is answered like any other. */
  readonly webSockets: WebSockets | null
  readonly log: Log
}

export function createHttpTransport(options: HttpOptions): HttpTransport {
  /** Calls being answered, which closing waits for; and every answer being written, streams among them. */
  const inFlight = new Set<ServerResponse>()
  const answers = new Set<ServerResponse>()
  const streams = new WeakSet<ServerResponse>()
  const closeWithConnection = createCloseWithConnection()
  const state = { closing: false }
  const context: RequestContext = { ...options, inFlight, streams, bodies: createBodyRoom(options.bodyRoomBytes) }
  const server = openListener(options, (request, response) => {
    // A stream that is written out has a dozen parties who want to know of its end.
    response.setMaxListeners(mostListeners)
    closeWithConnection(request, response)
    response.on('timeout', cutOffStalled)
    track(answers, response)
    options.traffic?.came()
    response.once('close', () => options.traffic?.answered())
    if (options.onAnswered !== undefined) reportAnswer(request, response, { streams, report: options.onAnswered })
    if (state.closing) response.setHeader('connection', 'close')
    handleRequest(request, response, context).catch((error: unknown) => answerFailure(response, error, options.log))
  })
  const upgraded = takeUpgrades(server, context, options)
  return Object.freeze({
    listen: ({ host, port }: { readonly host: string; readonly port: number }) => listen(server, host, port),
    connections: () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    async close(timeoutMs: number, closeStreams: () => Promise<void>) {
      state.closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await Promise.all([drained(inFlight, timeoutMs), options.webSockets?.finish(timeoutMs)])
      await closeStreams()
      await drained(answers, streamFlushMs)
      server.closeAllConnections()
      // Node counts them among the open ones and closes none.
      for (const socket of upgraded) socket.destroy()
      await closed
    },
  })
}

/** Says what became of a request once its answer is written, or its caller has left. */
function reportAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { streams, report }: Pick<RequestContext, 'streams'> & { readonly report: NonNullable<HttpOptions['onAnswered']> },
): void {
  const startedAt = performance.now()
  response.once('close', () => {
    const { method = 'GET', url = '' } = request
    const ms = performance.now() - startedAt
    const kind = streams.has(response) ? 'stream' : 'answer'
    report({ path: url.split('?', 1)[0] ?? '', method, status: response.statusCode, kind, ms })
  })
}

/** Gives the sockets that asked for another protocol, as long as they are open. */
function takeUpgrades(
  server: Server,
  context: RequestContext,
  { webSockets, log }: Pick<HttpOptions, 'webSockets' | 'log'>,
): ReadonlySet<Socket> {
  const upgraded = new Set<Socket>()
  if (webSockets === null) return upgraded
  server.on('upgrade', (request: IncomingMessage, socket: unknown, head: Buffer) => {
    if (!(socket instanceof Socket)) return
    upgraded.add(socket)
    socket.on('close', () => upgraded.delete(socket))
    // Node has taken its own listener off; without one, a client that breaks off would end the process.
    socket.on('error', (error) => log.debug('http.upgrade', { error }))
    const response = responseOn(socket, request)
    const release = () => response?.detachSocket(socket)
    if (response === null) socket.destroy()
    else
      webSockets
        .take({ request, socket, head }, context, release)
        .catch((error: unknown) => answerFailure(response, error, log))
  })
  return upgraded
}

/** What a refusal is written with; `null` where an answer before it is still on its way. */
function responseOn(socket: Socket, request: IncomingMessage): ServerResponse | null {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.on('finish', () => socket.destroySoon())
  try {
    response.assignSocket(socket)
    return response
  } catch {
    return null
  }
}

/** The caps of connections stand here: how many, how slow, how large. */
function openListener(
  { tls, slow: { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout, stalledMs } }: HttpOptions,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const reading = {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    connectionsCheckingInterval: headersTimeout / 5,
    // Else of two Host or Content-Type fields the first would count here, and the last perhaps elsewhere.
    joinDuplicateHeaders: true,
  }
  const server =
    tls === null
      ? createPlainServer(reading, onRequest)
      : createTlsServer({ ...reading, ...tls, handshakeTimeout: headersTimeout, minVersion: 'TLSv1.3' }, onRequest)
  server.maxConnections = maxConnections
  server.timeout = stalledMs
  // All are read, for Node drops those beyond its count in silence; their bytes it bounds itself.
  server.maxHeadersCount = 0
  return server
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('The server has no TCP address.'))
      else resolve(address)
    })
  })
}

async function drained(inFlight: ReadonlySet<ServerResponse>, timeoutMs: number): Promise<void> {
  const open = [...inFlight].map((response) => new Promise<void>((resolve) => response.on('close', () => resolve())))
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([Promise.all(open), patience])
  clearTimeout(timer)
}

/** Of a connection on which nothing moves: an answer that waits to be taken. One that is being made, and a stream with nothing to say, may go on. */
function cutOffStalled(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy()
}

const streamFlushMs = 1_000
const maxConnections = 4_096
const mostListeners = 24
const keepAliveTimeout = 30_000

/**
 * Makes a function that lets every response close with its connection. Node closes the one whose turn it is alone: those to requests that
 * were sent behind it hear nothing, and whatever waits for their end waits for good.
 */
function createCloseWithConnection(): (request: IncomingMessage, response: ServerResponse) => void {
  const openOf = new WeakMap<Socket, Set<ServerResponse>>()
  return ({ socket }, response) => {
    const open = openOf.get(socket) ?? follow(socket)
    openOf.set(socket, open)
    open.add(response)
    response.on('close', () => open.delete(response))
  }
}

function follow(socket: Socket): Set<ServerResponse> {
  const open = new Set<ServerResponse>()
  // Node's own listeners come first; what they have closed is no longer here.
  socket.on('close', () =>
    setImmediate(() => {
      for (const response of open) {
        response.destroy()
        if (open.has(response)) response.emit('close')
      }
    }),
  )
  return open
}
