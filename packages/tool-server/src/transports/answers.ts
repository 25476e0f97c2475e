import { type ServerResponse, STATUS_CODES } from 'node:http'
import { errorTable, ToolError } from '@svc/amm'
import type { Log } from '@svc/runtime'
import { tasksExtension } from './protocol-facts.ts'

/** Answers with a JSON-RPC error of the transport itself, outside any call. */
export function sendJsonRpcError(
  response: ServerResponse,
  status: number,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
  id: string | number | null = null,
): void {
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', error, id }))
}

/** Answers with a JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}

export const jsonRpcErrors = {
  malformed: { code: -32700, message: 'Parse error: the body is not JSON in UTF-8.' },
  tooDeep: { code: -32600, message: 'Invalid Request: the body is nested deeper than 32 levels.' },
  batch: { code: -32600, message: 'Invalid Request: JSON-RPC batches are not served; send one message per request.' },
  noMessage: { code: -32600, message: 'Invalid Request: this is no JSON-RPC 2.0 message.' },
  duplicateId: { code: -32600, message: 'Invalid Request: a request with this id is still being answered.' },
  tooMany: { code: -32000, message: 'Too many requests are being answered on this connection; wait for one of them.' },
  notBrief: {
    code: -32600,
    message: 'Invalid Request: what opens a session or a stream is kept, and this is too large for that.',
  },
  closing: { code: -32000, message: 'The server is closing.' },
  tasksMissing: {
    code: -32021,
    message: 'Missing required client capabilities: extensions',
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  },
  sessionUnknown: { code: -32001, message: 'Session not found.' },
  sessionMissing: { code: -32000, message: 'Bad Request: send initialize first, then the Mcp-Session-Id it returns.' },
} as const

/** A request that ends before it becomes a call: the error and the headers that go with it. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'
  readonly error: ToolError
  readonly headers: Readonly<Record<string, string>>
  /** What stands beside the envelope. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(
    error: ToolError,
    headers: Readonly<Record<string, string>> = {},
    members: Readonly<Record<string, unknown>> = {},
  ) {
    super(error.message)
    this.error = error
    this.headers = headers
    this.members = members
  }
}

/** What a request is answered with that was refused, or failed; nothing more where an answer has begun. */
export function answerFailure(response: ServerResponse, error: unknown, log: Pick<Log, 'error'>): void {
  if (response.destroyed) return
  if (error instanceof HttpRefusal && !response.headersSent) return sendProblem(response, error)
  log.error('http.unexpected_error', { error })
  if (response.headersSent) response.destroy()
  else sendProblem(response, new HttpRefusal(new ToolError('INTERNAL', 'Something went wrong inside the server.')))
}

/** Answers with `application/problem+json` (RFC 9457): our envelope plus `type`, `title` and `status`. */
export function sendProblem(response: ServerResponse, refusal: HttpRefusal): void {
  const { status, body, headers } = problemOf(refusal)
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), ...refusal.headers })
  response.end(body)
}

/** The parts of such an answer. */
export function problemOf({ error, members }: Pick<HttpRefusal, 'error' | 'members'>) {
  const envelope = error.toJSON()
  const status = errorTable[envelope.code].httpStatus
  const title = STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ type: `urn:svc:error:${envelope.code}`, title, status, ...envelope, ...members })
  return { status, body, headers: { 'content-type': 'application/problem+json' } }
}
