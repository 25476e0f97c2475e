import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rawRequest, type RawAnswer } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { sessionRevisions, statelessRevision } from './protocol-facts.ts'

let open: TestServer
beforeEach(async () => void (open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' } })))
afterEach(() => open.server.close())

const prefix = 'io.modelcontextprotocol/'
const envelope: Readonly<Record<string, unknown>> = {
  [`${prefix}protocolVersion`]: statelessRevision,
  [`${prefix}clientInfo`]: { name: 'raw', version: '1' },
  [`${prefix}clientCapabilities`]: {},
}
const views = { mimeTypes: ['text/html;profile=mcp-app'] }
const echo = { name: 'get_echo', arguments: { text: 'x' } }

type Asked = {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly id?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly more?: Readonly<Record<string, unknown>>
}

/** Sends a request of the revision; what a test changes about it comes last. */
function ask({ method, params = {}, meta = envelope, id = 7, headers = {}, more = {} }: Asked): Promise<RawAnswer> {
  const name = params['name']
  return rawRequest(open.port, {
    token: open.keys.read,
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta }, ...more }),
    headers: {
      'mcp-protocol-version': statelessRevision,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
  })
}

/** The library streams its answers; ours come with their length. */
const isFast = ({ headers }: RawAnswer) => headers['content-length'] !== undefined

/** The same request with one harmless member more, that nobody knows, which makes it the library's to answer. */
const throughLibrary = (asked: Asked) => ask({ ...asked, meta: { ...(asked.meta ?? envelope), other: 1 } })

describe('requests on the fast path of 2026-07-28', () => {
  it.each<[string, Asked]>([
    ['a list', { method: 'tools/list' }],
    ['a call', { method: 'tools/call', params: { ...echo, arguments: { text: 'häi' } } }],
    ['what the server is', { method: 'server/discover' }],
    ['a method of the other era', { method: 'ping' }],
    ['a list with a trace', { method: 'tools/list', meta: { ...envelope, traceparent: '00-x', baggage: 'a=b' } }],
    [
      'a list for a client that shows views',
      {
        method: 'tools/list',
        meta: { ...envelope, [`${prefix}clientCapabilities`]: { extensions: { [`${prefix}ui`]: views } } },
      },
    ],
    ['a call without arguments', { method: 'tools/call', params: { name: 'get_echo' } }],
    ['a failure', { method: 'tools/call', params: { name: 'get_failure', arguments: { how: 'own' } } }],
    ['a call the key may not make', { method: 'tools/call', params: { name: 'move_funds', arguments: {} } }],
    ['an id with quotes', { method: 'tools/list', id: 'seven"\\' }],
    [
      'a client with a title and plain capabilities',
      {
        method: 'tools/list',
        meta: {
          ...envelope,
          [`${prefix}clientInfo`]: { name: 'raw', version: '1', title: 'Raw' },
          [`${prefix}clientCapabilities`]: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
        },
      },
    ],
  ])('are answered as the library would: %s', async (_name, asked) => {
    const [fast, slow] = [await ask(asked), await throughLibrary(asked)]
    expect([isFast(fast), isFast(slow)]).toEqual([true, false])
    expect(fast.status).toBe(slow.status)
    expect(fast.json).toEqual(slow.json)
    expect(fast.headers['content-type']).toBe(slow.headers['content-type'])
    expect(fast.json).toMatchObject({ jsonrpc: '2.0', id: asked.id ?? 7 })
  })

  const withMeta = (member: string, value: unknown): Asked => ({
    method: 'tools/list',
    meta: { ...envelope, [`${prefix}${member}`]: value },
  })
  it.each<[string, Asked]>([
    ['a header for another method', { method: 'tools/list', headers: { 'mcp-method': 'tools/call' } }],
    ['a header for another tool', { method: 'tools/call', params: echo, headers: { 'mcp-name': 'get_failure' } }],
    ['a tool name where there is none', { method: 'tools/list', headers: { 'mcp-name': 'get_echo' } }],
    ['a parameter in a header', { method: 'tools/call', params: echo, headers: { 'mcp-param-text': 'y' } }],
    ['a session', { method: 'tools/list', headers: { 'mcp-session-id': 'x' } }],
    ['what the server is, with a cursor', { method: 'server/discover', params: { cursor: 'x' } }],
    ['a trace that is no text', { method: 'tools/list', meta: { ...envelope, traceparent: 1 } }],
    ['an answer it will not take', { method: 'tools/list', headers: { accept: 'application/json' } }],
    ['another revision in the header', { method: 'tools/list', headers: { 'mcp-protocol-version': '2026-07-29' } }],
    ['another revision in the envelope', withMeta('protocolVersion', '2026-07-29')],
    ['a client without a version', withMeta('clientInfo', { name: 'raw' })],
    ['a client whose name is no text', withMeta('clientInfo', { name: 1, version: '1' })],
    ['capabilities that are no object', withMeta('clientCapabilities', [])],
    ['a capability that is no object', withMeta('clientCapabilities', { elicitation: true })],
    ['a capability detail that is no object', withMeta('clientCapabilities', { elicitation: { form: 1 } })],
    ['an inherited name among capabilities', withMeta('clientCapabilities', { constructor: {} })],
    ['an unknown capability', withMeta('clientCapabilities', { flying: {} })],
    ['no envelope', { method: 'tools/list', meta: {} }],
    ['a cursor', { method: 'tools/list', params: { cursor: 'x' } }],
    ['an unknown tool', { method: 'tools/call', params: { name: 'nonsense', arguments: {} } }],
    ['arguments that are no object', { method: 'tools/call', params: { name: 'get_echo', arguments: [] } }],
    ['an id that is null', { method: 'tools/list', id: null }],
    ['an id with a fraction', { method: 'tools/list', id: 1.5 }],
    ['a member too many', { method: 'tools/list', more: { extra: 1 } }],
    ['a progress token', { method: 'tools/call', params: echo, meta: { ...envelope, progressToken: 'p' } }],
    ['an unknown method', { method: 'tools/nonsense' }],
  ])('are left to the library when there is anything unusual: %s', async (_name, asked) => {
    expect(isFast(await ask(asked))).toBe(false)
  })

  it('speak the revisions the library speaks', () => {
    expect(sessionRevisions).toEqual(SUPPORTED_PROTOCOL_VERSIONS)
  })
})
