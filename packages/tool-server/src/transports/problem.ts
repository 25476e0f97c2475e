import { STATUS_CODES, type ServerResponse } from 'node:http'
import { errorTable, type ToolError } from '@svc/amm'

/** A request that ends before it becomes a call: the error and the headers that go with it. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'
  readonly error: ToolError
  readonly headers: Readonly<Record<string, string>>

  constructor(error: ToolError, headers: Readonly<Record<string, string>> = {}) {
    super(error.message)
    this.error = error
    this.headers = headers
  }
}

/** Answers with `application/problem+json` (RFC 9457): our envelope plus `type`, `title` and `status`. */
export function sendProblem(response: ServerResponse, refusal: HttpRefusal): void {
  const envelope = refusal.error.toJSON()
  const status = errorTable[envelope.code].httpStatus
  const title = STATUS_CODES[status] ?? 'Error'
  const body = JSON.stringify({ type: `urn:svc:error:${envelope.code}`, title, status, ...envelope })
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    ...refusal.headers,
  })
  response.end(body)
}
