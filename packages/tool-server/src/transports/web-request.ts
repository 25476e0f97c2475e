import type { IncomingMessage } from 'node:http'

/** The web `Request` of an exchange whose body has been read: method, path and headers, aborted by `signal`. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headersDistinct)) {
    for (const item of value ?? []) headers.append(name, item)
  }
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    signal,
  })
}
