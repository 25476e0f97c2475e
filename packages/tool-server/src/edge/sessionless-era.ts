import type { Dispatch } from '../dispatch/dispatch.ts'
import { jsonRpcErrors, sendJson, sendJsonRpcError } from '../transports/answers.ts'
import { type Exchange, webRequest, writeWebResponse } from '../transports/exchange.ts'
import { answerFastRequest, fastRequest, speaksLegacy } from '../transports/fast-path.ts'
import type { LegacyEra } from '../transports/legacy-era.ts'
import type { LoadProtocol } from '../transports/protocol.ts'
import { refuse } from '../transports/request-stages.ts'

/**
 * Serves the 2025 revisions where nothing is kept from one request to the next: without a session, which these revisions allow. What only a
 * session knows of its client, that it shows views or forms, is not known, and a cancellation finds no call: whoever leaves cancels theirs.
 */
export function createSessionlessEra({ dispatch, protocol }: SessionlessOptions): LegacyEra {
  return Object.freeze({
    async post(exchange: Exchange, message: unknown) {
      const { headers } = exchange.request
      // Of a session that another server opened, or of none: as one that has ended.
      if (headers['mcp-session-id'] !== undefined)
        return sendJsonRpcError(exchange.response, 404, jsonRpcErrors.sessionUnknown)
      const call = new AbortController()
      const leave = () => call.abort()
      exchange.response.on('close', leave)
      try {
        const fast = speaksLegacy(headers['mcp-protocol-version'])
          ? fastRequest(message, headers.accept, dispatch)
          : null
        if (fast === null) return await throughLibrary(exchange, message, call.signal, protocol)
        const caller = { principal: exchange.principal, views: false, signal: call.signal }
        const body = await answerFastRequest(fast, caller, dispatch)
        if (!exchange.response.destroyed) sendJson(exchange.response, 200, body)
      } finally {
        exchange.response.off('close', leave)
      }
    },
    async session() {
      throw refuse('METHOD_NOT_ALLOWED', 'No sessions are kept here, and no streams of them.', {
        allow: 'POST, OPTIONS',
      })
    },
  })
}

export type SessionlessOptions = { readonly dispatch: Dispatch; readonly protocol: LoadProtocol }

async function throughLibrary(
  { request, response, principal }: Exchange,
  message: unknown,
  signal: AbortSignal,
  protocol: LoadProtocol,
): Promise<void> {
  const { newMcpServer, newSessionTransport } = await protocol()
  const transport = newSessionTransport(null, undefined)
  const server = newMcpServer(() => principal, 'legacy')
  await server.connect(transport)
  try {
    await writeWebResponse(
      response,
      await transport.handleRequest(webRequest(request, signal), { parsedBody: message }),
    )
  } finally {
    await server.close()
  }
}
