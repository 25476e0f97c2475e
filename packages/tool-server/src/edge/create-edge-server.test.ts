import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createEdgeServer, type EdgeOptions } from './create-edge-server.ts'

const key = `svc_read_${'Ab3_'.repeat(11).slice(0, 43)}`
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const env = {
  SVC_PUBLIC_URL: 'https://mcp.example.com/mcp',
  SVC_API_KEY_READ: key,
  SVC_RPC_URL_8453: 'https://rpc.example/a-secret-key',
}

async function open(fetch: EdgeOptions['fetch'] = () => Promise.reject(new TypeError('nobody answers'))) {
  const lines: string[] = []
  const edge = createEdgeServer({ env, write: (line) => void lines.push(line), fetch })
  const server = createServer((request, response) => void edge.handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const send = (init: Sent = {}, path = '') =>
    globalThis.fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })
  const post = (message: unknown, headers = {}) =>
    send({
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...Object(message) }),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    })
  return { url, send, post, lines }
}

type Sent = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

const call = (name: string, input: unknown) => ({ method: 'tools/call', params: { name, arguments: input } })

test('a client of the older eras is served without a session, and each request stands alone', async () => {
  const { post, send } = await open()
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1' } }
  const opened = await post({ method: 'initialize', params })
  expect(opened.status).toBe(200)
  expect(opened.headers.get('mcp-session-id')).toBeNull()
  expect(await opened.text()).toContain('"protocolVersion":"2025-11-25"')
  const listed = await post({ method: 'tools/list' })
  expect(await listed.text()).toContain('"name":"get_quote"')
  expect((await send({ headers: { accept: 'text/event-stream' } })).status, 'a stream of a session').toBe(405)
  expect((await post({ method: 'tools/list' }, { 'mcp-session-id': 'of another' })).status).toBe(404)
})

test('what stands before the protocol stands here too', async () => {
  const { post, send, url } = await open()
  expect((await post({ method: 'ping' }, { authorization: 'Bearer svc_read_wrong' })).status).toBe(401)
  expect((await post({ method: 'ping' }, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await send({ method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  expect((await globalThis.fetch(new URL('/healthz', url))).status).toBe(200)
  expect((await globalThis.fetch(new URL('/nothing', url))).status).toBe(404)
})

test('over plain http it is there for this machine alone: refused as JSON, without a redirect', async () => {
  const lines: string[] = []
  const edge = createEdgeServer({ env, write: (line) => void lines.push(line) })
  for (const url of [
    'https://mcp.example.com/mcp',
    'http://127.0.0.1:8787/mcp',
    'http://localhost/',
    'http://[::1]:1/',
  ])
    expect([edge.refuse(url), lines], `of ${url}`).toEqual([null, []])
  for (const url of [
    'http://mcp.example.com/mcp',
    'http://mcp.example.com:443/healthz',
    'http://localhost.example/mcp?key=svc_read_secret',
  ]) {
    const refused = edge.refuse(url)
    const line = JSON.parse(lines.splice(0).join()) as { readonly time: number }
    expect(line, 'nothing of the request').toEqual({ level: 40, time: line.time, event: 'edge.plain-http' })
    expect([refused?.status, refused?.headers.get('content-type')], `of ${url}`).toEqual([
      403,
      'application/problem+json',
    ])
    expect(refused?.headers.get('location')).toBeNull()
    expect(await refused?.json()).toMatchObject({
      code: 'PROXY_REQUIRED',
      status: 403,
      message: 'The request did not reach the edge over https.',
    })
  }
})

test('a call whose endpoint never answers holds up no other, which asks for itself', async () => {
  const asked: AbortSignal[] = []
  const { post } = await open((_place, init) => {
    if (init?.signal) asked.push(init.signal)
    return asked.length === 1 ? new Promise(() => {}) : Promise.reject(new TypeError('nobody answers'))
  })
  // It ends with the server.
  post(call('get_gas_price', { chain: 'base' })).catch(() => {})
  await expect.poll(() => asked.length).toBe(1)
  const answer = await post(call('get_gas_price', { chain: 'base' }))
  expect(await answer.text()).toContain('RPC_UNAVAILABLE')
  expect(asked.length).toBeGreaterThan(1)
})

test('an endpoint is not followed elsewhere, and the log keeps its key', async () => {
  const kinds: (string | undefined)[] = []
  const { post, lines } = await open(async (_place, init) => {
    kinds.push(init?.redirect)
    return new Response(null, { status: 307, headers: { location: 'https://inside.example/' } })
  })
  const answer = await post(call('get_gas_price', { chain: 'base' }))
  expect(await answer.text()).toContain('RPC_')
  expect(new Set(kinds)).toEqual(new Set(['manual']))
  expect(lines.join('\n')).toContain('"event":"tool.call"')
  expect(lines.join('\n')).not.toContain('a-secret-key')
})

test('tools that are elsewhere are refused by name', async () => {
  const { post } = await open()
  const answer = await post(call('execute_swap', {}))
  expect(await answer.text()).toContain('TOOL_NOT_IN_PROFILE')
})
