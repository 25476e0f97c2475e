import { connect } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import * as z from 'zod'
import type { Principal } from '@svc/engine'
import type { Breakable, SignIn } from '../auth/sign-in/sign-in.ts'
import { callOf, initialize, rawBytes, rawExchange, rawRequest } from '../raw-http.fixture.ts'
import { echo, openTestServer, type TestServer } from '../test-server.fixture.ts'
import { readTool } from '../tool.ts'
import { answers, openSocket, type OpenSocket, refusalOf } from './web-socket.fixture.ts'

let open: TestServer
afterEach(() => open.server.close())

const on = (options: Parameters<typeof openTestServer>[0] = {}) =>
  openTestServer({ ...options, env: { SVC_WEBSOCKET: 'on', SVC_MCP_PROFILE: 'full', ...options.env } })

/** A connection whose handshake is done. */
async function connected(token: string | null = open.keys.read, more = {}): Promise<OpenSocket> {
  const socket = await openSocket(open.port, token, more)
  socket.socket.send(initialize('2025-11-25', 'init'))
  await socket.until(answers('init'))
  socket.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return socket
}

describe('over WebSocket', () => {
  it('a client of the first SDK lists and calls tools as the principal of its key', async () => {
    open = await on()
    const { read } = open.keys
    class WithKey extends WebSocket {
      constructor(url: string | URL, protocol: string) {
        super(url, protocol, { headers: { authorization: `Bearer ${read}` } })
      }
    }
    vi.stubGlobal('WebSocket', WithKey)
    try {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new WebSocketClientTransport(new URL(open.url.replace('http', 'ws'))))
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(['get_echo', 'get_failure', 'get_slow'])
      const called = await client.callTool({ name: 'get_echo', arguments: { text: 'a' } })
      expect(called.structuredContent).toMatchObject({ text: 'a', principal: expect.stringMatching(/^api-key:/) })
      const refused = await client.callTool({ name: 'move_funds', arguments: { amount: '1' } })
      expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'INSUFFICIENT_KEY_TIER' } } })
      await client.close()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('serves the newer era as well', async () => {
    open = await on()
    const { socket, until } = await openSocket(open.port, open.keys.read)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'get_echo', arguments: { text: 'b' }, _meta }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    expect(await until(answers(1))).toMatchObject({
      result: {
        resultType: 'complete',
        structuredContent: { text: 'b', principal: expect.stringMatching(/^api-key:/) },
      },
    })
    socket.close()
  })

  it('is off unless the operator turns it on, and an upgrade is a request like another then', async () => {
    open = await openTestServer()
    const answer = await rawRequest(open.port, {
      body: initialize(),
      token: open.keys.read,
      headers: { connection: 'Upgrade', upgrade: 'websocket' },
    })
    expect(answer.status).toBe(200)
  })
})

describe('an upgrade is refused before the handshake', () => {
  it('without credentials, with wrong ones, and with those in the address', async () => {
    open = await on()
    const missing = await refusalOf(openSocket(open.port, null))
    expect(missing).toMatchObject({ status: 401, code: 'AUTHENTICATION_REQUIRED' })
    expect((await refusalOf(openSocket(open.port, `svc_read_${'A'.repeat(43)}`))).status).toBe(401)
    const { read } = open.keys
    expect((await refusalOf(openSocket(open.port, null, { path: `/mcp?access_token=${read}` }))).status).toBe(401)
    expect((await refusalOf(openSocket(open.port, null, { protocols: ['mcp', read] }))).status).toBe(401)
  })

  it('to a foreign Host or from a page of a foreign Origin, whatever it knows', async () => {
    open = await on({ env: { SVC_ALLOWED_ORIGINS: 'https://app.example.com' } })
    const { bearer } = open.keys
    const from = (origin: string) => openSocket(open.port, bearer, { origin })
    for (const origin of [
      'https://evil.example',
      'null',
      'https://app.example.com.evil.example',
      'http://localhost:1',
    ]) {
      expect({ origin, ...(await refusalOf(from(origin))) }).toMatchObject({
        origin,
        status: 403,
        code: 'ORIGIN_NOT_ALLOWED',
      })
    }
    const rebound = openSocket(open.port, bearer, { headers: { host: 'evil.example' } })
    expect(await refusalOf(rebound)).toMatchObject({ status: 403, code: 'HOST_NOT_ALLOWED' })
    const { socket } = await from('https://app.example.com')
    socket.close()
    // Without a header that a page cannot leave out it comes from no page, and needs credentials that a page cannot send.
    expect((await refusalOf(openSocket(open.port, null))).status).toBe(401)
  })

  it('at another path, to another protocol, without the subprotocol, and beyond the budget of the address', async () => {
    open = await on({ limits: { unauthenticatedPerMinute: 2 } })
    const { read } = open.keys
    expect(await refusalOf(openSocket(open.port, read, { path: '/healthz' }))).toMatchObject({
      status: 404,
      code: 'ROUTE_NOT_FOUND',
    })
    expect(await refusalOf(openSocket(open.port, read, { protocols: [] }))).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      body: { message: expect.stringContaining('subprotocol mcp') },
    })
    const other = await rawExchange(
      open.port,
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: h2c\r\nauthorization: Bearer ${read}\r\n\r\n`,
    )
    expect(other).toMatchObject({ status: 400, json: { code: 'VALIDATION_FAILED' } })
    const unknown = async () => (await refusalOf(openSocket(open.port, null))).status
    expect([await unknown(), await unknown(), await unknown()]).toEqual([401, 401, 429])
  })

  it('while an answer is on its way on the same socket, whose bytes would mix with the frames', async () => {
    open = await on()
    const { read } = open.keys
    const fields = [
      ['host', 'localhost'],
      ['authorization', `Bearer ${read}`],
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ] as const
    const slowly = rawBytes('POST /mcp', fields, initialize()).replace('connection: close\r\n', '')
    const upgrade =
      `GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${read}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: mcp\r\n\r\n'
    const socket = connect(open.port, '127.0.0.1').setEncoding('utf8')
    socket.write(slowly + upgrade)
    let heard = ''
    for await (const part of socket) {
      heard += String(part)
      if (heard.includes('101 Switching')) break
    }
    expect(heard).not.toContain('101 Switching')
  })
})

describe('a frame', () => {
  it('that is no JSON-RPC message is answered with an error of the protocol, and the connection stays', async () => {
    open = await on()
    const { socket, heard, until } = await connected()
    const errors = () =>
      heard.flatMap((one) => (answers(null)(one) ? [(one as { error: { code: number } }).error.code] : []))
    for (const text of [
      '{',
      '',
      `${'['.repeat(40)}${']'.repeat(40)}`,
      '[]',
      `[${callOf('get_echo', { text: 'a' })}]`,
      '{}',
      '7',
    ])
      socket.send(text)
    socket.send(callOf('get_echo', { text: 'still here' }, 9))
    expect(await until(answers(9))).toMatchObject({ result: { structuredContent: { text: 'still here' } } })
    expect(errors()).toEqual([-32700, -32700, -32600, -32600, -32600, -32600, -32600])
    socket.close()
  })

  it.each([
    ['that is binary closes the connection', 1003, (socket: WebSocket) => socket.send(Buffer.from(initialize()))],
    ['beyond 256 KiB', 1009, (socket: WebSocket) => socket.send(' '.repeat(262_145))],
    [
      'cut into a thousand pieces, none of which is the last',
      1008,
      (socket: WebSocket) => {
        for (let piece = 0; piece < 1_100; piece += 1) socket.send(' ', { fin: false })
      },
    ],
    [
      'of pieces that are beyond 256 KiB together',
      1009,
      (socket: WebSocket) => {
        for (let piece = 0; piece < 5; piece += 1) socket.send(' '.repeat(65_536), { fin: false })
      },
    ],
    ['that is no UTF-8', 1007, (socket: WebSocket) => socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false })],
  ])('%s', async (_name, code, attack) => {
    open = await on()
    const { socket, closed } = await connected()
    attack(socket)
    expect((await closed).code).toBe(code)
    expect((await rawRequest(open.port, { method: 'GET', path: '/healthz' })).status).toBe(200)
  })

  it('is never compressed, whatever the client offers', async () => {
    open = await on()
    const { socket } = await openSocket(open.port, open.keys.read, { perMessageDeflate: true })
    expect(socket.extensions).toBe('')
    socket.close()
  })
})

describe('what a connection may ask for', () => {
  it('is bounded in calls at once, each of which is answered or refused by its id', async () => {
    open = await on()
    const { socket, until } = await connected()
    for (let id = 1; id <= 32; id += 1) socket.send(callOf('get_slow', { ms: 60_000 }, id))
    socket.send(callOf('get_slow', { ms: 60_000 }, 32))
    socket.send(callOf('get_echo', { text: 'a' }, 33))
    expect(await until(answers(32))).toMatchObject({ error: { code: -32600 } })
    expect(await until(answers(33))).toMatchObject({ error: { code: -32000 } })
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }))
    socket.send(callOf('get_echo', { text: 'a' }, 34))
    expect(await until(answers(34))).toMatchObject({ result: { structuredContent: { text: 'a' } } })
    socket.close()
  })

  it('counts against the budget of its principal, message by message', async () => {
    // The upgrade, the handshake and its notification are three.
    open = await on({ limits: { perPrincipalPerMinute: 5 }, now: () => 0 })
    const { socket, until } = await connected()
    for (const id of [1, 2, 3]) socket.send(callOf('get_echo', { text: 'a' }, id))
    expect(await until(answers(2))).toMatchObject({ result: {} })
    expect(await until(answers(3))).toMatchObject({
      error: { code: -32000, data: { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 12 } },
    })
    socket.close()
  })

  it('ends for a client that does not read what it asked for', async () => {
    open = await on({
      limits: { perAddressPerMinute: 1_000_000, perPrincipalPerMinute: 1_000_000 },
      env: { LOG_LEVEL: 'debug' },
    })
    const { socket, closed } = await connected()
    socket.pause()
    let id = 0
    const asking = setInterval(() => {
      // 18 KB each; cancelled ids are free again, so that nothing but the reading bounds them.
      for (let more = 0; more < 16; more += 1)
        socket.send(callOf('get_echo', { text: 'x'.repeat(2_000), times: 9 }, (id += 1)))
    }, 1)
    try {
      await vi.waitFor(() => expect(terminated()).toBe(true), { timeout: 20_000, interval: 20 })
    } finally {
      clearInterval(asking)
    }
    socket.resume()
    expect((await closed).code).toBe(1006)

    function terminated() {
      return open.lines.some((line) => line.includes('The client does not read its answers.'))
    }
  })

  it('ends for a client that answers no ping', async () => {
    open = await on({ limits: { pingMs: 750 } })
    const { closed } = await connected(open.keys.read, { autoPong: false })
    const { socket: polite } = await connected()
    expect((await closed).code).toBe(1006)
    expect(polite.readyState).toBe(WebSocket.OPEN)
    polite.close()
  })

  it('is room that a principal with many connections gives up for one with none', async () => {
    open = await on({ limits: { maxSessions: 2 } })
    const first = await connected()
    const second = await connected()
    expect(await refusalOf(openSocket(open.port, open.keys.read))).toMatchObject({ status: 503, code: 'SESSION_LIMIT' })
    const other = await connected(open.keys.write)
    expect((await first.closed).code).toBe(1000)
    expect(second.socket.readyState).toBe(WebSocket.OPEN)
    for (const { socket } of [second, other]) socket.close()
  })

  it('is its own: no session of HTTP is joined by naming it, and its own has no name', async () => {
    open = await on()
    const { read, write } = open.keys
    const session = (await rawRequest(open.port, { token: write, body: initialize() })).headers['mcp-session-id']
    const { socket, until } = await connected(read, { headers: { 'mcp-session-id': String(session) } })
    socket.send(callOf('move_funds', { amount: '1' }, 1))
    expect(await until(answers(1))).toMatchObject({
      result: { _meta: { 'svc/error': { code: 'INSUFFICIENT_KEY_TIER' } } },
    })
    socket.close()
  })
})

describe('credentials that end', () => {
  const principal: Principal = {
    id: 'siwe:0x1',
    stage: 'siwe',
    tier: null,
    scopes: new Set(['read:market']),
    expiresAt: Number.MAX_SAFE_INTEGER,
  }
  const signIn = (isGood: () => Principal | null) => {
    const held: Breakable[] = []
    const stage = () => isGood() ?? { refused: 'The token was revoked.' }
    const rest = { wallets: null, resource: null, serveAt: () => {}, close: () => {}, isInForce: () => true }
    const hold = (_principal: Principal, response: Breakable) => void held.push(response)
    return { held, signIn: { ...rest, stages: [stage], hold } as unknown as SignIn }
  }

  it('lack a scope in words, where over HTTP a 403 has the client ask for it', async () => {
    open = await on({ signIn: signIn(() => ({ ...principal, stage: 'oauth' })).signIn })
    const { socket, until } = await connected('a-token')
    socket.send(callOf('move_funds', { amount: '1' }, 1))
    const message = 'This token may not call move_funds: it lacks the scope write:trade.'
    const error = { code: 'INSUFFICIENT_KEY_TIER', message, details: [{ tier: 'write', scope: 'write:trade' }] }
    expect(await until(answers(1))).toMatchObject({ result: { isError: true, _meta: { 'svc/error': error } } })
    socket.close()
  })

  it('are found out with the next message, and end it unheard', async () => {
    let now: Principal | null = principal
    open = await on({ signIn: signIn(() => now).signIn })
    const { socket, heard, closed } = await connected('a-token')
    now = null
    socket.send(callOf('get_echo', { text: 'a' }, 1))
    expect(await closed).toMatchObject({ code: 1008, reason: expect.stringContaining('Connect again') })
    expect(heard.some(answers(1))).toBe(false)
  })

  it('end a connection as well when their rights are others', async () => {
    let now = principal
    open = await on({ signIn: signIn(() => now).signIn })
    const { socket, closed } = await connected('a-token')
    now = { ...principal, scopes: new Set(['read:market', 'write:trade']) }
    socket.send(callOf('get_echo', { text: 'a' }, 1))
    expect((await closed).code).toBe(1008)
  })

  it('break off the calls that are being answered, and a connection that says nothing', async () => {
    const { held, signIn: stage } = signIn(() => principal)
    open = await on({ signIn: stage })
    const { socket, closed, until } = await connected('a-token')
    socket.send(callOf('get_slow', { ms: 60_000 }, 1))
    socket.send(callOf('get_echo', { text: 'a' }, 2))
    await until(answers(2))
    expect(held).toHaveLength(1)
    held[0]?.destroy()
    expect((await closed).code).toBe(1008)
    // The call has heard of it: it is over a minute before its time.
    await vi.waitFor(() => expect(open.lines.some((line) => line.includes('"tool":"get_slow"'))).toBe(true))
  })

  it('without a revocation have a connection end once the calls on it are answered, and it takes no others', async () => {
    const { held, signIn: stage } = signIn(() => principal)
    let goOn = () => {}
    const isDone = new Promise<void>((resolve) => (goOn = resolve))
    const waiting = readTool({
      name: 'get_waiting',
      title: 'Waiting',
      description: 'Waits.',
      scope: 'read:market',
      input: z.strictObject({}),
      output: z.object({ left: z.boolean() }),
    }).handler(async (_input, { signal }) => {
      await isDone
      return { left: signal.aborted }
    })
    open = await on({ signIn: stage, tools: [echo, waiting] })
    const { socket, heard, closed, until } = await connected('a-token')
    socket.send(callOf('get_waiting', {}, 1))
    socket.send(callOf('get_echo', { text: 'a' }, 2))
    await until(answers(2))
    for (let look = 0; look < 2; look += 1) held[0]?.finish?.()
    socket.send(callOf('get_echo', { text: 'a' }, 3))
    expect(await until(answers(3))).toHaveProperty('error')
    goOn()
    expect((await closed).code).toBe(1008)
    expect(heard.find(answers(1))).toMatchObject({ result: { structuredContent: { left: false } } })
  })
})

describe('closing the server', () => {
  it('answers the calls it had taken, takes no others, and says goodbye', async () => {
    open = await on()
    const { socket, heard, closed } = await connected()
    socket.send(callOf('get_slow', { ms: 300 }, 1))
    socket.send(callOf('get_echo', { text: 'a' }, 2))
    await vi.waitFor(() => expect(heard.some(answers(2))).toBe(true))
    const closing = open.server.close()
    expect(await closed).toEqual({ code: 1001, reason: 'The server is closing.' })
    expect(heard.find(answers(1))).toMatchObject({ result: { structuredContent: { waitedMs: 300 } } })
    await closing
  })

  it('does not wait for a client that never says goodbye', async () => {
    open = await on()
    const { socket, closed } = await connected()
    socket.pause()
    await open.server.close()
    socket.resume()
    await closed
  })
})
