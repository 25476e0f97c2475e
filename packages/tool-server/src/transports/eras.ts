import type { IncomingMessage } from 'node:http'
import type { Exchange } from './exchange.ts'
import { speaksLegacy, type HotModern } from './fast-path.ts'
import type { LegacyEra } from './legacy-era.ts'
import type { LoadProtocol } from './protocol.ts'
import type { Eras } from './request-stages.ts'

/** The body decides the era; what is plain is known without the protocol library. */
export function createEras({ legacy, hot, protocol }: ErasOptions): Eras {
  return Object.freeze({
    async post(exchange: Exchange, message: unknown) {
      const { headers } = exchange.request
      if (isPlainLegacy(message, headers)) return legacy.post(exchange, message)
      const answered = hot(exchange, message)
      if (answered !== null) return answered
      const { eraOf, modern } = await protocol()
      return eraOf(message, headers) === 'legacy' ? legacy.post(exchange, message) : modern.post(exchange, message)
    },
    session: (exchange: Exchange) => legacy.session(exchange),
  })
}

export type ErasOptions = {
  readonly legacy: LegacyEra
  readonly hot: HotModern
  readonly protocol: LoadProtocol
}

/** What certainly belongs to a session, known without the classification's schema checks. */
function isPlainLegacy(message: unknown, headers: IncomingMessage['headers']): boolean {
  if (headers['mcp-session-id'] === undefined || headers['mcp-method'] !== undefined) return false
  if (!speaksLegacy(headers['mcp-protocol-version'])) return false
  if (typeof message !== 'object' || message === null || !('method' in message)) return false
  if (!('params' in message)) return true
  const { params } = message
  return typeof params === 'object' && params !== null && !('_meta' in params)
}
