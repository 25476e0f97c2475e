import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server'
import type { Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { Exchange } from './exchange.ts'
import type { NewMcpServer } from './mcp-server.ts'
import { webRequest } from './web-request.ts'
import { writeWebResponse } from './web-response.ts'

/** Serves revision 2026-07-28: every request stands alone, nothing is kept between two of them. */
export type ModernEra = {
  post(exchange: Exchange, message: unknown): Promise<void>
  close(): Promise<void>
}

export function createModernEra(options: { readonly newMcpServer: NewMcpServer; readonly log: Log }): ModernEra {
  const principals = new WeakMap<AuthInfo, Principal>()
  const handler = createMcpHandler(
    (context) => {
      const principal = context.authInfo === undefined ? undefined : principals.get(context.authInfo)
      if (principal === undefined) throw new Error('A request reached the protocol without a principal.')
      return options.newMcpServer(principal, 'modern', handler.notify)
    },
    { legacy: 'reject', onerror: (error) => options.log.debug('mcp.modern', { error }) },
  )
  return Object.freeze({
    async post({ request, response, principal }: Exchange, message: unknown) {
      const left = new AbortController()
      const leave = () => left.abort()
      response.on('close', leave)
      const authInfo: AuthInfo = { token: '', clientId: principal.id, scopes: [...principal.scopes] }
      principals.set(authInfo, principal)
      try {
        const answer = await handler.fetch(webRequest(request, left.signal), { authInfo, parsedBody: message })
        await writeWebResponse(response, answer)
      } finally {
        response.off('close', leave)
      }
    },
    close: () => handler.close(),
  })
}
