import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@svc/engine'
import { isRecord } from '@svc/runtime'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server'

/** One authenticated HTTP exchange on its way. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly principal: Principal
}

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

/** Writes a web `Response` out. A client that leaves cancels the response's stream; that is no failure. */
export async function writeWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  const headers = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, headers)
  if (answer.body === null) {
    response.end()
    return
  }
  if (headers['content-type']?.startsWith('text/event-stream') === true) response.flushHeaders()
  try {
    await pipeline(Readable.fromWeb(answer.body), response)
  } catch (error) {
    if (!response.destroyed) throw error
  }
}

/** A refusal of the protocol library as it leaves: it quotes of the request what does not fit, which may be nearly all of it. */
export async function shortened(answer: Response): Promise<Response> {
  if (answer.status < 400 || answer.headers.get('content-type')?.startsWith('application/json') !== true) return answer
  const text = await answer.text()
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  return new Response(text.length <= mostCharacters ? text : cut(text), { status: answer.status, headers })
}

const mostCharacters = 4_096
const mostOfText = 300

/** The id stays whole, for its client looks for it. */
function cut(text: string): string {
  const message = JSON.parse(text) as unknown
  if (!isRecord(message) || !isRecord(message['error'])) return text
  const error = JSON.stringify(message['error'], (_name, value: unknown) =>
    typeof value === 'string' && value.length > mostOfText ? `${value.slice(0, mostOfText)}...` : value,
  )
  return JSON.stringify({ ...message, error: JSON.parse(error) as unknown })
}

/** Who made a request; without one, whose connection it is. */
export type CallerOf = (context: ServerContext | null) => Principal

/** Takes principals through the protocol library, which hands on what a request was given to whatever answers it. */
export function createCarriedPrincipals(): CarriedPrincipals {
  const principals = new WeakMap<AuthInfo, Principal>()
  return {
    carry(principal) {
      const authInfo = { token: '', clientId: principal.id, scopes: [...principal.scopes] }
      principals.set(authInfo, principal)
      return authInfo
    },
    of(authInfo) {
      const principal = authInfo === undefined ? undefined : principals.get(authInfo)
      if (principal === undefined) throw new Error('A request reached the protocol without a principal.')
      return principal
    },
  }
}

export type CarriedPrincipals = {
  carry(principal: Principal): AuthInfo
  /** Throws where nobody was carried. */
  of(authInfo: AuthInfo | undefined): Principal
}
