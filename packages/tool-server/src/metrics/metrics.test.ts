import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@svc/wallet/core'
import { afterEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import type { Limits } from '../config/limits.ts'
import { callOf, openSession, rawRequest, type RawRequest } from '../raw-http.fixture.ts'
import { openTestServer, testTools } from '../test-server.fixture.ts'
import { figuresOf } from './figures.fixture.ts'
import { metricCatalogue } from './metric-catalogue.ts'
import { openMetrics } from './open-metrics.ts'

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server whose figures are shown, and what reads them as Prometheus would. */
async function openWatched({ token = null, limits = {} }: { token?: Secret | null; limits?: Partial<Limits> } = {}) {
  const config = readConfig({ SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-metrics-')) })
  const watch = openMetrics(
    { ...config, metrics: { listen: { host: '127.0.0.1', port: 0 }, token } },
    { tools: testTools, dailyLimitUsd: () => 2_000, alerts: { active: () => [] }, now: Date.now },
  )
  const { port } = await watch.listen()
  const open = await openTestServer({ observer: watch.observer, limits })
  closers.push(
    () => open.server.close(),
    () => watch.close(),
  )
  const ask = (request: RawRequest = {}) => rawRequest(port, { method: 'GET', path: '/metrics', ...request })
  return { ...open, ask, figures: async () => figuresOf((await ask()).text) }
}

describe('/metrics', () => {
  it('shows every figure of the catalogue, and none of our own besides', async () => {
    const { ask } = await openWatched()
    const { text } = await ask()
    const shown = [...text.matchAll(/^# TYPE (svc_\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
    expect(shown.toSorted()).toEqual(metricCatalogue.map(({ name, type }) => `${name} ${type}`).toSorted())
  })

  it('shows what the process uses, under the names that dashboards know', async () => {
    const { figures } = await openWatched()
    const [first, second] = [await figures(), await figures()]
    const cpu = (shown: typeof first) => shown.get('process_cpu_seconds_total') ?? 0
    expect(cpu(first)).toBeGreaterThan(0)
    expect(cpu(second)).toBeGreaterThanOrEqual(cpu(first))
    expect(cpu(second)).toBeLessThan(2 * cpu(first) + 5)
    expect(second.get('process_start_time_seconds')).toBe(first.get('process_start_time_seconds'))
    expect(first.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(first.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
  })

  it('counts calls by tool, outcome and code, requests by route and status, and how callers were taken', async () => {
    const { port, keys, figures } = await openWatched()
    const token = keys.read
    const headers = { 'mcp-session-id': await openSession(port, token) }
    const before = await figures()
    for (const name of ['get_echo', 'get_echo', 'no_such_tool_of_ours']) {
      await rawRequest(port, { token, headers, body: callOf(name, { text: 'hi' }) })
    }
    await rawRequest(port, { token, headers, body: callOf('get_failure', { how: 'own' }) })
    await rawRequest(port, { token: 'svc_read_wrong', headers, body: callOf('get_echo', { text: 'hi' }) })
    await rawRequest(port, { method: 'GET', path: '/secret-path' })
    const after = await figures()
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
    expect(grown('svc_mcp_tool_calls_total{tool="get_echo",outcome="success",code="none"}')).toBe(2)
    expect(grown('svc_mcp_tool_duration_seconds_count{tool="get_echo",outcome="success"}')).toBe(2)
    expect(grown('svc_mcp_tool_calls_total{tool="get_failure",outcome="error",code="POOL_NOT_FOUND"}')).toBe(1)
    expect(grown('svc_http_requests_total{route="/mcp",method="POST",status="200"}')).toBe(4)
    expect(grown('svc_http_requests_total{route="/mcp",method="POST",status="401"}')).toBe(1)
    expect(grown('svc_http_requests_total{route="other",method="GET",status="404"}')).toBe(1)
    expect(grown('svc_auth_total{stage="api-key",outcome="accepted"}')).toBe(4)
    expect(grown('svc_auth_total{stage="none",outcome="refused"}')).toBe(1)
    expect(after.get('svc_mcp_sessions')).toBe(1)
    expect(after.get('svc_http_connections')).toBeGreaterThanOrEqual(0)
    // Whoever asks chooses no label.
    expect([...after.keys()].join('\n')).not.toMatch(/no_such_tool|secret-path|svc_read/)
  })

  it('counts a request once whose body comes after its headers', async () => {
    const { port, keys, figures } = await openWatched()
    const accepted = async () => (await figures()).get('svc_auth_total{stage="api-key",outcome="accepted"}')
    const body = callOf('get_echo', { text: 'hi' })
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    const fields = [`authorization: Bearer ${keys.read}`, 'content-type: application/json', 'connection: close']
    const length = `content-length: ${Buffer.byteLength(body)}`
    socket.write(`${['POST /mcp HTTP/1.1', `host: 127.0.0.1:${port}`, ...fields, length].join('\r\n')}\r\n\r\n`)
    await expect.poll(accepted).toBe(1)
    socket.write(body)
    await once(socket.resume(), 'close')
    expect(await accepted()).toBe(1)
  })

  it('has streams beside the requests that are answered, and the paths that are served by their names', async () => {
    const { port, keys, figures } = await openWatched()
    const params = { notifications: { toolsListChanged: true }, _meta: envelope }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const fields = { authorization: `Bearer ${keys.read}`, 'content-type': 'application/json', ...headers }
    const accept = 'application/json, text/event-stream'
    const outgoing = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: { ...fields, accept } })
    const opened = once(outgoing, 'response')
    outgoing.end(body)
    const [incoming] = (await opened) as [IncomingMessage]
    expect(incoming.statusCode).toBe(200)
    outgoing.on('error', () => {})
    incoming.on('error', () => {})
    outgoing.destroy()
    await rawRequest(port, { method: 'GET', path: '/.well-known/agent-card.json' })
    const counted = async (route: string) =>
      (await figures()).get(`svc_http_request_duration_seconds_count{route="${route}"}`) ?? 0
    await expect.poll(() => counted('/mcp (stream)')).toBe(1)
    expect(await counted('/mcp')).toBe(0)
    await expect.poll(() => counted('/.well-known/agent-card.json')).toBe(1)
    expect(await counted('other')).toBe(0)
  })

  it('counts what a rate limit turns away', async () => {
    const { port, keys, figures } = await openWatched({ limits: { perPrincipalPerMinute: 3 } })
    for (const _ of [1, 2, 3, 4]) await rawRequest(port, { token: keys.read, body: callOf('get_echo', { text: 'hi' }) })
    expect((await figures()).get('svc_rate_limited_total{limit="token"}')).toBe(1)
  })

  it('is all that is served there, to nobody who names another server, and to whoever has the token alone', async () => {
    const { ask } = await openWatched({ token: new Secret('t'.repeat(40)) })
    const status = async (request: RawRequest) => (await ask(request)).status
    const token = 't'.repeat(40)
    expect(await status({})).toBe(401)
    expect(await status({ token: 'x' })).toBe(401)
    expect(await status({ token })).toBe(200)
    expect(await status({ token, headers: { host: 'evil.example.com' } })).toBe(403)
    expect(await status({ token, path: '/mcp' })).toBe(404)
    expect(await status({ token, method: 'POST' })).toBe(405)
  })
})
