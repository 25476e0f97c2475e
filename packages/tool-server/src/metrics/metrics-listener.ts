import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Secret } from '@svc/wallet/core'
import { HttpRefusal, sendProblem } from '../transports/answers.ts'
import type { Guards } from '../transports/guards.ts'
import { refuse } from '../transports/request-stages.ts'

/** Serves one page of text at `/metrics`, on a listener of its own that clients of the tools need not reach. */
export function createMetricsListener(options: MetricsListenerOptions): MetricsListener {
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, options).catch((error: unknown) => {
      const refusal =
        error instanceof HttpRefusal ? error : refuse('INTERNAL', 'The figures could not be put together.')
      if (response.headersSent) response.destroy()
      else sendProblem(response, refusal)
    })
  }
  const reading = { headersTimeout: 10_000, requestTimeout: 10_000, joinDuplicateHeaders: true }
  const server =
    options.tls === null
      ? createPlainServer(reading, onRequest)
      : createTlsServer({ ...reading, ...options.tls, minVersion: 'TLSv1.3' }, onRequest)
  server.maxConnections = 64
  server.timeout = 10_000
  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          server.unref()
          resolve(server.address() as AddressInfo)
        })
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type MetricsListener = {
  listen(place: { readonly host: string; readonly port: number }): Promise<AddressInfo>
  close(): Promise<void>
}

export type MetricsListenerOptions = {
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
  readonly guards: Pick<Guards, 'requireHost' | 'clientAddress'>
  /** What whoever asks has to send as a bearer token; `null` where everybody on this machine may ask. */
  readonly token: Secret | null
  readonly contentType: string
  readonly text: () => Promise<string>
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { guards, token, contentType, text }: MetricsListenerOptions,
): Promise<void> {
  const { headers, method, url } = request
  guards.requireHost(headers)
  guards.clientAddress(headers, request.socket.remoteAddress ?? '')
  if (url?.split('?', 1)[0] !== '/metrics') throw refuse('ROUTE_NOT_FOUND', 'There is nothing at this path.')
  if (method !== 'GET' && method !== 'HEAD') {
    throw refuse('METHOD_NOT_ALLOWED', 'This method is not served here.', { allow: 'GET, HEAD' })
  }
  if (token !== null && !isToken(headers.authorization, token)) {
    throw refuse('AUTHENTICATION_REQUIRED', 'The figures need the token of SVC_METRICS_TOKEN.', {
      'www-authenticate': 'Bearer realm="metrics"',
    })
  }
  const body = await text()
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : body)
}

function isToken(header: string | undefined, token: Secret): boolean {
  return timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token.reveal()}`))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
