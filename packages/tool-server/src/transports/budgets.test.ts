import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { callOf, initialize, openSession, type RawAnswer, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { answers, openSocket, refusalOf } from './web-socket.fixture.ts'

const full = { SVC_MCP_PROFILE: 'full' }
const behindProxy = { ...full, SVC_TRUSTED_PROXIES: '127.0.0.0/8' }
const still = { now: () => 0 }
const both = '"address";q=1200;w=60, "token";q=600;w=60'
let open: TestServer
afterEach(() => open.server.close())

const told = ({ headers }: RawAnswer) => [headers['ratelimit-policy'], headers['ratelimit']]

describe('the budget of an address', () => {
  it('holds whatever keys its requests come with, and says when to come back', async () => {
    open = await openTestServer({ env: full, limits: { perAddressPerMinute: 4 }, ...still })
    const { read, write } = open.keys
    const ask = (token: string) => rawRequest(open.port, { token, body: '{}' })
    expect((await ask(read)).status).toBe(400)
    expect((await ask(write)).status).toBe(400)
    expect((await rawRequest(open.port, { method: 'GET', path: '/nothing' })).status).toBe(404)
    expect((await rawRequest(open.port, { method: 'OPTIONS' })).status).toBe(204)
    for (const refused of [await ask(read), await rawRequest(open.port, { method: 'GET', path: '/nothing' })]) {
      expect(refused).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED', retryable: true } })
      expect(refused.headers['retry-after']).toBe('15')
      expect(told(refused)).toEqual(['"address";q=4;w=60', '"address";r=0;t=15'])
    }
    expect((await rawRequest(open.port, { method: 'GET', path: '/healthz' })).status).toBe(200)
  })

  it('behind a proxy is of whoever came to it, by what it says and no client, and of IPv6 of the /64', async () => {
    open = await openTestServer({ env: behindProxy, limits: { perAddressPerMinute: 1 }, ...still })
    const from = async (forwarded: string) => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': forwarded }
      return (await rawRequest(open.port, { token: open.keys.read, body: '{}', headers })).status
    }
    expect(await from('203.0.113.1')).toBe(400)
    expect(await from('198.51.100.7, 203.0.113.1')).toBe(429)
    expect(await from('203.0.113.2')).toBe(400)
    expect(await from('2001:db8::1')).toBe(400)
    expect(await from('2001:db8:0:0:ffff::2')).toBe(429)
    expect(await from('2001:db8:0:1::1')).toBe(400)
  })

  it('counts upgrades to WebSocket', async () => {
    open = await openTestServer({
      env: { ...full, SVC_WEBSOCKET: 'on' },
      limits: { perAddressPerMinute: 1 },
      ...still,
    })
    const { socket } = await openSocket(open.port, open.keys.read)
    expect(await refusalOf(openSocket(open.port, open.keys.write))).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    socket.close()
  })

  it('counts messages and pings over WebSocket, of whichever connections and keys', async () => {
    open = await openTestServer({
      env: { ...full, SVC_WEBSOCKET: 'on' },
      limits: { perAddressPerMinute: 6 },
      ...still,
    })
    const [one, other] = [await openSocket(open.port, open.keys.read), await openSocket(open.port, open.keys.write)]
    const ask = async ({ socket, until }: typeof one, id: number) => {
      socket.send(callOf('get_echo', { text: 'a' }, id))
      return until(answers(id))
    }
    one.socket.send(initialize())
    await one.until(answers(0))
    other.socket.send(initialize())
    await other.until(answers(0))
    const ponged = once(one.socket, 'pong')
    one.socket.ping()
    await ponged
    expect(await ask(one, 1)).toMatchObject({ result: {} })
    for (const socket of [one, other]) {
      expect(await ask(socket, 2)).toMatchObject({ error: { data: { code: 'RATE_LIMITED', retryAfterSeconds: 10 } } })
      socket.socket.close()
    }
  })
})

describe('an answer', () => {
  it('says what is left of address and token, in both eras and by whichever way it is made', async () => {
    open = await openTestServer({ env: full, ...still })
    const { read: token } = open.keys
    const session = await openSession(open.port, token)
    const legacy = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const list = (params: object, headers: Readonly<Record<string, string>>) =>
      rawRequest(open.port, {
        token,
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }),
      })
    const answers = [
      await list({}, legacy),
      await list({ _meta: { progressToken: 'p' } }, legacy),
      await list({ _meta: meta }, modern),
      await list({ _meta: { ...meta, traceparent: '00-x' } }, modern),
      await rawRequest(open.port, { token, body: '{' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400])
    // The session took two of each.
    expect(answers.map(told)).toEqual(
      answers.map((_, index) => [both, `"address";r=${1_197 - index}, "token";r=${597 - index}`]),
    )
  })

  it('to who is not known says what is left of guesses', async () => {
    open = await openTestServer({ env: full, ...still })
    const guesses = '"unauthenticated";q=120;w=60'
    expect(told(await rawRequest(open.port, { token: 'wrong' }))).toEqual([guesses, '"unauthenticated";r=119'])
    const card = await rawRequest(open.port, { method: 'GET', path: '/.well-known/agent.json' })
    expect(card.status).toBe(200)
    expect(told(card)).toEqual([guesses, '"unauthenticated";r=118'])
  })

  it('that a token has none left says so of the token', async () => {
    open = await openTestServer({ env: full, limits: { perPrincipalPerMinute: 1 }, ...still })
    const ask = () => rawRequest(open.port, { token: open.keys.read, body: initialize() })
    expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('60')
    expect(told(refused)).toEqual(['"token";q=1;w=60', '"token";r=0;t=60'])
  })

  it('is readable to pages of the origins that are listed, refusals among them, and its origin is never the one that asks', async () => {
    const listed = 'https://app.example.com'
    open = await openTestServer({
      env: { ...full, SVC_ALLOWED_ORIGINS: listed },
      limits: { perAddressPerMinute: 40 },
      ...still,
    })
    const ask = (origin: string, path: string, method = 'GET') =>
      rawRequest(open.port, { method, path, headers: { origin } })
    const others = [
      'https://evil.example',
      `${listed}.evil.example`,
      `${listed}:444`,
      'https://APP.example.com',
      `${listed}/`,
      'null',
      '*',
      '',
    ]
    for (const path of ['/mcp', '/healthz', '/.well-known/agent.json', '/nothing']) {
      for (const origin of others) {
        for (const method of ['GET', 'OPTIONS']) {
          const { status, headers } = await ask(origin, path, method)
          expect({ origin, path, status }).toEqual({ origin, path, status: 403 })
          expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
        }
      }
      const { headers } = await ask(listed, path)
      expect(headers).toMatchObject({ 'access-control-allow-origin': listed, vary: 'Origin' })
      expect(headers['access-control-expose-headers']).toContain('RateLimit, RateLimit-Policy')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    const anyone = await rawRequest(open.port, { method: 'GET', path: '/.well-known/agent.json' })
    expect(anyone.headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'Origin' })
    for (let more = 0; more < 40; more += 1) await ask(listed, '/nothing')
    const limited = await ask(listed, '/nothing')
    expect(limited).toMatchObject({ status: 429, headers: { 'access-control-allow-origin': listed } })
  })
})
