// The same requests as clients of both protocol eras send them.
import { post } from './load.mjs'

export const legacyHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export const legacyMessage = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params })

export const modernHeaders = (method, params) => ({
  ...legacyHeaders,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
})

export const modernMessage = (id, method, params) => legacyMessage(id, method, { ...params, _meta: envelope })

/**
 * A search for tokens in letters of its own, large or small: all find the same, and each is worked out, for it takes twice as many as a server
 * keeps answers until one comes again. So a server must be asked with indices that follow each other.
 */
export function searchAnew(index) {
  let bit = 0
  const query = 'usd coin'.replaceAll(/[a-z]/g, (letter) => ((index >> bit++) & 1 ? letter.toUpperCase() : letter))
  return { name: 'search_tokens', arguments: { query, limit: 5 } }
}

/** Opens a session and returns the headers of its requests. */
export async function openSession(port, headers) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opened = await post(undefined, port, headers, legacyMessage(0, 'initialize', params))
  if (opened.status !== 200) throw new Error(`initialize: ${opened.status} ${opened.text}`)
  const session = { ...headers, 'mcp-session-id': opened.headers['mcp-session-id'] }
  const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await post(undefined, port, session, initialized)
  return { ...session, 'mcp-protocol-version': '2025-11-25' }
}

const clientInfo = { name: 'bench', version: '1.0.0' }

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}
