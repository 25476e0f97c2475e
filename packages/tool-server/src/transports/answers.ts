import type { ServerResponse } from 'node:http'

/** Answers with a JSON-RPC error of the transport itself, outside any call. */
export function sendJsonRpcError(
  response: ServerResponse,
  status: number,
  error: { readonly code: number; readonly message: string },
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
  duplicateId: { code: -32600, message: 'Invalid Request: a request with this id is still being answered.' },
  sessionUnknown: { code: -32001, message: 'Session not found.' },
  sessionMissing: { code: -32000, message: 'Bad Request: send initialize first, then the Mcp-Session-Id it returns.' },
} as const
