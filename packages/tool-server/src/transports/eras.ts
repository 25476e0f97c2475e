import type { IncomingMessage } from 'node:http'
import { isRecord } from '@svc/runtime'
import type { Exchange } from './exchange.ts'
import { type FastPath, isMessageMember, isPlainHandshake, isRequestId, speaksLegacy } from './fast-path.ts'
import type { LegacyEra } from './legacy-era.ts'
import type { LoadProtocol } from './protocol.ts'
import type { Eras } from './request-stages.ts'

/** The body decides the era; what is plain is known without the protocol library. */
export function createEras({ legacy, fastPath, protocol }: ErasOptions): Eras {
  return Object.freeze({
    async post(exchange: Exchange, message: unknown) {
      const { headers } = exchange.request
      const isLegacy = isPlainLegacy(message, headers) || isPlainHandshake(message, headers)
      if (fastPath !== null && isLegacy) return legacy.post(exchange, message)
      const answered = fastPath?.(exchange, message) ?? null
      if (answered !== null) return answered
      const { eraOf, modern } = await protocol()
      return eraOf(message, headers) === 'legacy' ? legacy.post(exchange, message) : modern.post(exchange, message)
    },
    session: (exchange: Exchange) => legacy.session(exchange),
  })
}

export type ErasOptions = {
  readonly legacy: LegacyEra
  /** `null` where everything is the protocol library's. */
  readonly fastPath: FastPath | null
  readonly protocol: LoadProtocol
}

/** What certainly belongs to a session, and is a message, known without the classification's schema checks. */
function isPlainLegacy(message: unknown, headers: IncomingMessage['headers']): boolean {
  if (headers['mcp-session-id'] === undefined || headers['mcp-method'] !== undefined) return false
  if (!speaksLegacy(headers['mcp-protocol-version'])) return false
  if (!isRecord(message) || !Object.keys(message).every(isMessageMember)) return false
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !(id === undefined || isRequestId(id))) return false
  return params === undefined || (isRecord(params) && !('_meta' in params))
}
