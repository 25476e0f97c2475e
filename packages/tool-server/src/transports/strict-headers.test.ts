import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialize, rawBytes, rawExchange } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { statelessRevision } from './protocol-facts.ts'

let open: TestServer
beforeAll(async () => {
  open = await openTestServer({
    env: { SVC_MCP_PROFILE: 'full', SVC_ALLOWED_HOSTS: 'Tools.example.com,[2001:DB8::0:1]' },
  })
})
afterAll(() => open.server.close())

type Field = readonly [string, string]

const prefix = 'io.modelcontextprotocol/'
const meta = {
  [`${prefix}protocolVersion`]: statelessRevision,
  [`${prefix}clientInfo`]: { name: 'raw', version: '1' },
  [`${prefix}clientCapabilities`]: {},
}
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const modern: readonly Field[] = [
  ['mcp-protocol-version', statelessRevision],
  ['mcp-method', 'tools/list'],
]

/** One request as each era has it, byte by byte; the modern one also as the protocol library gets it. */
const eras: readonly (readonly [string, readonly Field[], string])[] = [
  ['2025', [], initialize()],
  ['2026', modern, JSON.stringify({ ...list, params: { _meta: meta } })],
  [
    '2026, through the library',
    modern,
    JSON.stringify({ ...list, params: { _meta: { ...meta, traceparent: '00-x' } } }),
  ],
]

describe.each(eras)('a request of %s', (_era, own, body) => {
  const post = (fields: readonly Field[]) => {
    const bearer = ['authorization', `Bearer ${open.keys.read}`] as const
    const accept = ['accept', 'application/json, text/event-stream'] as const
    return rawExchange(open.port, rawBytes('POST /mcp', [...fields, bearer, accept, ...own], body))
  }
  const json = ['content-type', 'application/json'] as const

  it.each([
    '127.0.0.1',
    '127.0.0.1:3000',
    'LocalHost:65535',
    '[::1]',
    '[0:0:0:0:0:0:0:1]:1',
    'tools.example.com',
    'TOOLS.example.com:443',
    '[2001:db8::1]',
  ])('comes to %s', async (host) => {
    expect((await post([['host', host], json])).status).toBe(200)
  })

  it.each([
    '127.0.0.1/evil.example',
    '127.0.0.1?evil.example',
    '127.0.0.1#evil.example',
    '127.0.0.1:3000/evil.example',
    String.raw`127.0.0.1\evil.example`,
    'evil.example@127.0.0.1',
    '127.0.0.1@evil.example',
    '127.0.0.1, evil.example',
    '127.0.0.1 evil.example',
    '127.0.0.1\tevil.example',
    'http://127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:65536',
    '127.0.0.1:80:80',
    '127.0.0.1:8o',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '%31%32%37.0.0.1',
    '::1',
    '[::1',
    '[::1]x',
    '[::1%25lo]',
    '[127.0.0.1]',
    '',
  ])('does not come to %j', async (host) => {
    expect(await post([['host', host], json])).toMatchObject({ status: 403, json: { code: 'HOST_NOT_ALLOWED' } })
  })

  it('names one host', async () => {
    const hosts = ['127.0.0.1', 'evil.example'].map((host): Field => ['host', host])
    for (const both of [hosts, hosts.toReversed(), [hosts[0]!, hosts[0]!]]) {
      expect(await post([...both, json])).toMatchObject({ status: 403, json: { code: 'HOST_NOT_ALLOWED' } })
    }
    expect((await post([json])).status).toBe(400)
  })

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json ; charset=UTF-8 ',
    'application/json; Charset="utf-8"',
    'application/json;\tCHARSET="Utf-8"',
  ])('is %s', async (type) => {
    expect(
      (
        await post([
          ['host', 'localhost'],
          ['content-type', type],
        ])
      ).status,
    ).toBe(200)
  })

  it.each([
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=latin1',
    'application/json; charset="utf-8',
    'application/json; charset=utf-8"',
    "application/json; charset='utf-8'",
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-16; charset=utf-8',
    'application/json; charset = utf-8',
    'application/json; charset=',
    'application/json; profile=x',
    'application/json, text/plain',
    'application/jsonp',
    'application/json-rpc',
    'text/plain; application/json',
    'text/json',
    '',
  ])('is not %j', async (type) => {
    const refused = await post([
      ['host', 'localhost'],
      ['content-type', type],
    ])
    expect(refused).toMatchObject({ status: 415, json: { code: 'MEDIA_TYPE_NOT_SUPPORTED', retryable: false } })
  })

  it('has one type', async () => {
    const types = ['application/json', 'text/plain'].map((type): Field => ['content-type', type])
    for (const both of [types, types.toReversed(), []]) {
      expect((await post([['host', 'localhost'], ...both])).status).toBe(415)
    }
  })

  it('has one credential', async () => {
    const second = ['authorization', `Bearer ${open.keys.write}`] as const
    expect((await post([['host', 'localhost'], json, second])).status).toBe(401)
  })
})
