import { statelessRevision } from '../../packages/tool-server/dist/transports/protocol-facts.js'

const prefix = 'io.modelcontextprotocol/'
const client = { name: 'edge-check', version: '1' }

/** A place to be asked; `sessions` are what it gave to clients of the older eras, by their keys, where it gives any. */
export async function openPlace(url, keys) {
  const place = { url, keys, sessions: {} }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client }
  for (const key of ['read', 'write']) {
    const answer = await send(place, { era: 'session', method: 'initialize', params, key }, {})
    place.sessions[key] = answer.headers.get('mcp-session-id') ?? undefined
    place.opened = await messageOf(answer)
  }
  return place
}

/** What a place answers: its status, and its message or problem as it came. */
export async function ask(place, call, init = {}) {
  const answer = await send(place, call, init)
  return { status: answer.status, message: await messageOf(answer) }
}

function send({ url, keys, sessions }, { era, tool, input, method = 'tools/call', params, key = 'write' }, init) {
  const given = params ?? (tool === undefined ? {} : { name: tool, ...(input !== undefined && { arguments: input }) })
  const envelope = {
    [`${prefix}protocolVersion`]: statelessRevision,
    [`${prefix}clientInfo`]: client,
    [`${prefix}clientCapabilities`]: {},
  }
  const isStateless = era === 'stateless'
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key === 'none'
      ? {}
      : { authorization: `Bearer ${key === 'wrong' ? `svc_read_${'x'.repeat(43)}` : keys[key]}` }),
    'mcp-protocol-version': isStateless ? statelessRevision : '2025-11-25',
    ...(isStateless && { 'mcp-method': method, ...(tool !== undefined && { 'mcp-name': tool }) }),
    ...(!isStateless && sessions[key] !== undefined && { 'mcp-session-id': sessions[key] }),
  }
  const body = { jsonrpc: '2.0', id: 1, method, params: isStateless ? { ...given, _meta: envelope } : given }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), ...init })
}

/** Of a stream its last message, which is the answer. */
async function messageOf(answer) {
  const text = await answer.text()
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const json = isStream ? [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] : text
  try {
    return JSON.parse(json)
  } catch {
    return json ?? null
  }
}
