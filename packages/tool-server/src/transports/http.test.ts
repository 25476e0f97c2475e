import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { echo, openTestServer, slow, type TestServer } from '../test-server.fixture.ts'
import { callOf, initialize, openSession, rawRequest } from '../raw-http.fixture.ts'
import type { Tool } from '../tool.ts'
import { holdable } from './holdable.fixture.ts'

const full = { SVC_MCP_PROFILE: 'full' }

describe('who may talk to the server', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await openTestServer({
      env: { ...full, SVC_ALLOWED_HOSTS: 'tools.example.com', SVC_ALLOWED_ORIGINS: 'https://app.example.com' },
    })
  })
  afterAll(() => open.server.close())

  const routes = [
    ['GET', '/healthz'],
    ['GET', '/mcp'],
    ['POST', '/mcp'],
    ['DELETE', '/mcp'],
  ] as const
  const statuses = async (headers: Readonly<Record<string, string>>) => {
    const answers = routes.map(([method, path]) => rawRequest(open.port, { method, path, headers }))
    return Promise.all(answers)
  }

  it.each([
    ['its own address', {}],
    ['localhost', { host: 'localhost:1' }],
    ['a name the operator allows', { host: 'tools.example.com' }],
    ['an origin the operator allows', { origin: 'https://app.example.com' }],
  ])('answers to %s', async (_name, headers) => {
    expect((await statuses(headers)).map(({ status }) => status)).toEqual([200, 401, 401, 401])
  })

  it.each([
    ['a foreign name', { host: 'evil.example.com' }],
    ['a name that ends in an allowed one', { host: 'evil-tools.example.com' }],
    ['a name that begins with an allowed one', { host: 'localhost.evil.example.com' }],
    ['a foreign origin', { origin: 'https://evil.example.com' }],
    ['an opaque origin', { origin: 'null' }],
    ['an allowed origin over http', { origin: 'http://app.example.com' }],
    ['an origin on another local port', { origin: 'http://127.0.0.1:1' }],
  ])('refuses %s on every route', async (_name, headers) => {
    const answers = await statuses(headers)
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(new Set(answers.map((answer) => answer.headers['content-type']))).toEqual(
      new Set(['application/problem+json']),
    )
    expect(answers.flatMap((answer) => answer.headers['access-control-allow-origin'] ?? [])).toEqual([])
  })

  it('accepts a page of its own address', async () => {
    const answer = await rawRequest(open.port, {
      method: 'GET',
      path: '/healthz',
      headers: { host: `127.0.0.1:${open.port}`, origin: `http://127.0.0.1:${open.port}` },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('answers a preflight of an allowed origin and of no other', async () => {
    const allowed = await rawRequest(open.port, { method: 'OPTIONS', headers: { origin: 'https://app.example.com' } })
    expect(allowed.status).toBe(204)
    expect(allowed.headers['access-control-allow-origin']).toBe('https://app.example.com')
    expect(allowed.headers['access-control-allow-headers']).toContain('Mcp-Session-Id')
    const foreign = await rawRequest(open.port, { method: 'OPTIONS', headers: { origin: 'https://evil.example.com' } })
    expect(foreign.status).toBe(403)
  })

  it('challenges as RFC 6750 says: no error code without credentials, invalid_token with wrong ones', async () => {
    const missing = await rawRequest(open.port, { body: initialize() })
    expect(missing.status).toBe(401)
    expect(missing.headers['www-authenticate']).toBe('Bearer realm="mcp"')
    expect(missing.json).toMatchObject({ code: 'AUTHENTICATION_REQUIRED', status: 401, retryable: false, details: [] })
    const forged = { ...open.keys, swapped: open.keys.read.replace('svc_read_', 'svc_write_') }
    for (const token of [
      forged.swapped,
      'svc_read_',
      'nonsense',
      `${open.keys.bearer}x`,
      open.keys.write.toUpperCase(),
    ]) {
      const answer = await rawRequest(open.port, { body: initialize(), token })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer realm="mcp", error="invalid_token", error_description="[^"]+"$/,
      )
      expect(answer.text).not.toContain(token)
    }
  })

  it('takes credentials from nowhere but the Authorization header', async () => {
    const { write } = open.keys
    const query = await rawRequest(open.port, { path: `/mcp?access_token=${write}`, body: initialize() })
    expect(query.status).toBe(401)
    const custom = await rawRequest(open.port, {
      body: initialize(),
      headers: { 'x-api-key': write, authorization: `Basic ${write}` },
    })
    expect(custom.status).toBe(401)
  })

  it('knows every key and the static token', async () => {
    for (const token of Object.values(open.keys)) {
      expect((await rawRequest(open.port, { body: initialize(), token })).status).toBe(200)
    }
  })

  it('serves nothing else', async () => {
    expect((await rawRequest(open.port, { method: 'GET', path: '/', token: open.keys.read })).json).toMatchObject({
      code: 'ROUTE_NOT_FOUND',
      status: 404,
    })
    const put = await rawRequest(open.port, { method: 'PUT', token: open.keys.read })
    expect(put.status).toBe(405)
    expect(put.headers.allow).toBe('GET, POST, DELETE, OPTIONS')
  })
})

describe('what a body may be', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await openTestServer({ env: full })
  })
  afterAll(() => open.server.close())

  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    rawRequest(open.port, { body, token: open.keys.read, headers })

  it('is JSON, uncompressed', async () => {
    expect((await send(initialize(), { 'content-type': 'text/plain' })).status).toBe(415)
    const zipped = gzipSync(initialize())
    expect((await send(zipped, { 'content-encoding': 'gzip' })).json).toMatchObject({
      code: 'MEDIA_TYPE_NOT_SUPPORTED',
    })
    expect((await send('{"jsonrpc":')).json).toMatchObject({ error: { code: -32700 } })
    expect((await send(Buffer.from([0x22, 0xff, 0x22]))).json).toMatchObject({ error: { code: -32700 } })
  })

  it('is at most 256 KiB', async () => {
    const fits = initialize().padEnd(262_144)
    expect((await send(fits)).status).toBe(200)
    const declared = await send(`${fits} `)
    expect(declared.status).toBe(413)
    expect(declared.json).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  })

  it('is at most 256 KiB when its length is not declared', async () => {
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(open.port, '127.0.0.1')
      socket.on('error', reject)
      socket.on('data', (data) => {
        resolve(data.toString().split('\r\n')[0] ?? '')
        socket.destroy()
      })
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${open.keys.read}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
      )
      const chunk = ' '.repeat(65_536)
      for (let sent = 0; sent < 5; sent += 1) socket.write(`10000\r\n${chunk}\r\n`)
    })
    expect(status).toBe('HTTP/1.1 413 Payload Too Large')
  })

  it('is nested at most 32 deep', async () => {
    const nested = (levels: number) => callOf('get_echo', JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`))
    expect((await send(nested(31))).json).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('32') },
    })
    const deep = '['.repeat(100_000)
    expect((await send(deep)).json).toMatchObject({ error: { code: -32600 } })
    expect((await send(callOf('get_echo', { text: '[[[{{{"'.repeat(20) }))).json).not.toMatchObject({
      error: { code: -32600 },
    })
  })

  it('is one message, never a batch', async () => {
    for (const body of ['[]', `[${initialize()}]`, `[${callOf('get_echo', {})},${callOf('get_echo', {}, 2)}]`]) {
      const answer = await send(body)
      expect(answer.status).toBe(400)
      expect(answer.json).toMatchObject({
        error: { code: -32600, message: expect.stringContaining('batch') },
        id: null,
      })
    }
  })

  it('is a JSON-RPC message', async () => {
    for (const body of ['{}', '1', 'null', '"x"', '{"jsonrpc":"1.0","id":1,"method":"ping"}']) {
      expect((await send(body)).status).toBe(400)
    }
  })
})

describe('sessions', () => {
  let open: TestServer
  afterEach(() => open.server.close())

  const withSession = (session: string, token: string, body: string) =>
    rawRequest(open.port, { token, body, headers: { 'mcp-session-id': session } })

  it('belong to the principal that opened them: to others they do not exist', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.write)
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = callOf('get_echo', { text: 'hi' })
      const stolen = await rawRequest(open.port, {
        method,
        body,
        token: open.keys.read,
        headers: { 'mcp-session-id': session },
      })
      const invented = await rawRequest(open.port, {
        method,
        body,
        token: open.keys.read,
        headers: { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' },
      })
      expect(stolen.status).toBe(404)
      expect(stolen.text).toBe(invented.text)
    }
    expect((await withSession(session, open.keys.write, callOf('get_echo', { text: 'hi' }))).status).toBe(200)
  })

  it('are needed after initialize, and never authenticate', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    expect((await rawRequest(open.port, { token: open.keys.read, body: callOf('get_echo', {}) })).status).toBe(400)
    const anonymous = await rawRequest(open.port, {
      body: callOf('get_echo', {}),
      headers: { 'mcp-session-id': session },
    })
    expect(anonymous.status).toBe(401)
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('speak %s', async (version) => {
    open = await openTestServer({ env: full })
    const answer = await rawRequest(open.port, { token: open.keys.read, body: initialize(version) })
    expect(answer.json).toMatchObject({ result: { protocolVersion: version, capabilities: { tools: {} } } })
  })

  it('refuse a protocol version nobody speaks', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    const answer = await rawRequest(open.port, {
      token: open.keys.read,
      body: callOf('get_echo', { text: 'x' }),
      headers: { 'mcp-session-id': session, 'mcp-protocol-version': '1999-01-01' },
    })
    expect(answer.status).toBe(400)
  })

  it('end with DELETE', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    const ended = await rawRequest(open.port, {
      method: 'DELETE',
      token: open.keys.read,
      headers: { 'mcp-session-id': session },
    })
    expect(ended.status).toBe(200)
    expect((await withSession(session, open.keys.read, callOf('get_echo', { text: 'x' }))).status).toBe(404)
  })

  it('are capped', async () => {
    open = await openTestServer({ env: full, limits: { maxSessions: 2 } })
    const first = await openSession(open.port, open.keys.read)
    await openSession(open.port, open.keys.read)
    const refused = await rawRequest(open.port, { token: open.keys.read, body: initialize() })
    expect(refused.status).toBe(503)
    expect(refused.json).toMatchObject({ code: 'SESSION_LIMIT', retryable: true })
    await rawRequest(open.port, { method: 'DELETE', token: open.keys.read, headers: { 'mcp-session-id': first } })
    await openSession(open.port, open.keys.read)
  })

  it('are not all for one principal when another wants some', async () => {
    const clock = { ms: 0 }
    open = await openTestServer({ env: full, limits: { maxSessions: 3 }, now: () => (clock.ms += 1) })
    const streaming = await openSession(open.port, open.keys.read)
    const stream = await fetch(open.url, {
      headers: {
        authorization: `Bearer ${open.keys.read}`,
        'mcp-session-id': streaming,
        accept: 'text/event-stream',
      },
    })
    const unused = await openSession(open.port, open.keys.read)
    const recent = await openSession(open.port, open.keys.read)
    const ask = (token: string) => rawRequest(open.port, { token, body: initialize() })
    expect((await ask(open.keys.read)).json).toMatchObject({ code: 'SESSION_LIMIT' })
    expect((await ask(open.keys.write)).status).toBe(200)
    const body = callOf('get_echo', { text: 'x' })
    const statuses = [streaming, unused, recent].map((session) => withSession(session, open.keys.read, body))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 404, 200])
    expect((await ask(open.keys.write)).json).toMatchObject({ code: 'SESSION_LIMIT' })
    expect((await ask(open.keys.read)).json).toMatchObject({ code: 'SESSION_LIMIT' })
    await stream.body?.cancel()
  })

  it('with streams make room for another principal too', async () => {
    open = await openTestServer({ env: full, limits: { maxSessions: 2 } })
    const streams: Response[] = []
    for (const session of [await openSession(open.port, open.keys.read), await openSession(open.port, open.keys.read)])
      streams.push(
        await fetch(open.url, {
          headers: {
            authorization: `Bearer ${open.keys.read}`,
            'mcp-session-id': session,
            accept: 'text/event-stream',
          },
        }),
      )
    await openSession(open.port, open.keys.write)
    expect(await streams[0]?.text()).toBe('')
    await streams[1]?.body?.cancel()
  })

  it('do not count against the cap when initialize fails', async () => {
    open = await openTestServer({ env: full, limits: { maxSessions: 1 } })
    const broken = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect((await rawRequest(open.port, { token: open.keys.read, body: broken })).status).toBe(400)
    await openSession(open.port, open.keys.read)
  })

  it('expire when idle, not while in use', async () => {
    const clock = { ms: 0 }
    const [tool, held] = holdable()
    const limits = { sessionIdleMs: 20 }
    open = await openTestServer({ env: full, tools: [tool, echo], limits, now: () => clock.ms })
    const idle = await openSession(open.port, open.keys.read)
    const busy = await openSession(open.port, open.keys.read)
    const answer = withSession(busy, open.keys.read, callOf('get_slow', { ms: 1 }))
    await held.entered
    // A request that comes before the sweep keeps its session, so each look lets time pass anew.
    const statusLater = async () => {
      clock.ms += 60_000
      await sleep(60)
      return (await withSession(idle, open.keys.read, callOf('get_echo', { text: 'x' }))).status
    }
    await expect.poll(statusLater).toBe(404)
    held.release()
    expect((await answer).json).toMatchObject({ result: { structuredContent: { waitedMs: 1 } } })
  })

  it('refuse a second request with an id in flight, and answer the first', async () => {
    const [tool, held] = holdable()
    open = await openTestServer({ env: full, tools: [tool, echo] })
    const session = await openSession(open.port, open.keys.read)
    const first = withSession(session, open.keys.read, callOf('get_slow', { ms: 1 }, 7))
    await held.entered
    const twin = await withSession(session, open.keys.read, callOf('get_echo', { text: 'x' }, 7))
    expect(twin.status).toBe(400)
    expect(twin.json).toMatchObject({ error: { code: -32600 }, id: 7 })
    expect((await withSession(session, open.keys.read, callOf('get_echo', { text: 'x' }, '7'))).status).toBe(200)
    held.release()
    expect((await first).json).toMatchObject({ id: 7, result: { structuredContent: { waitedMs: 1 } } })
    expect((await withSession(session, open.keys.read, callOf('get_echo', { text: 'x' }, 7))).status).toBe(200)
  })

  it('carry a stream for the server, one at a time, that closes with the session', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    const headers = {
      authorization: `Bearer ${open.keys.read}`,
      'mcp-session-id': session,
      accept: 'text/event-stream',
    }
    const stream = await fetch(open.url, { headers })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect((await fetch(open.url, { headers })).status).toBe(409)
    await rawRequest(open.port, { method: 'DELETE', token: open.keys.read, headers: { 'mcp-session-id': session } })
    expect(await stream.text()).toBe('')
  })

  it('take a new stream at once when the client of the old one has gone', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    const headers = {
      authorization: `Bearer ${open.keys.read}`,
      'mcp-session-id': session,
      accept: 'text/event-stream',
    }
    const leaving = new AbortController()
    await fetch(open.url, { headers, signal: leaving.signal })
    leaving.abort()
    await expect.poll(async () => (await fetch(open.url, { headers })).status).toBe(200)
  })
})

describe('limits and leaving', () => {
  let open: TestServer
  afterEach(() => open.server.close())

  it('slow down who fails to authenticate, not who succeeds', async () => {
    open = await openTestServer({ env: full, limits: { unauthenticatedPerMinute: 3 }, now: () => 0 })
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await rawRequest(open.port, { token: 'wrong' })).status).toBe(401)
    const limited = await rawRequest(open.port, { headers: { 'x-forwarded-for': '10.9.8.7' } })
    expect(limited.status).toBe(429)
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect((await rawRequest(open.port, { token: open.keys.read, body: initialize() })).status).toBe(200)
  })

  it('slow down one principal, not another', async () => {
    open = await openTestServer({ env: full, limits: { perPrincipalPerMinute: 2 }, now: () => 0 })
    const ask = (token: string) => rawRequest(open.port, { token, body: '{}' })
    expect([(await ask(open.keys.read)).status, (await ask(open.keys.read)).status]).toEqual([400, 400])
    const limited = await ask(open.keys.read)
    expect(limited.status).toBe(429)
    expect(limited.json).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect((await ask(open.keys.write)).status).toBe(400)
  })

  it('cut off who never finishes the headers', async () => {
    open = await openTestServer({ env: full, limits: { headersTimeoutMs: 100 } })
    await new Promise<void>((resolve, reject) => {
      const socket = connect(open.port, '127.0.0.1')
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.on('data', () => {})
      socket.write('POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ')
    })
  })

  it('let a caller leave: its call stops, the others never notice', async () => {
    const { tool, entered, left: seen } = watched()
    open = await openTestServer({ env: full, tools: [tool] })
    const leaver = await openSession(open.port, open.keys.read)
    const stayer = await openSession(open.port, open.keys.write)
    const leaving = new AbortController()
    const left = fetch(open.url, {
      method: 'POST',
      signal: leaving.signal,
      body: callOf('get_slow', { ms: 60_000 }),
      headers: {
        authorization: `Bearer ${open.keys.read}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': leaver,
      },
    }).catch(() => 'left')
    const staying = rawRequest(open.port, {
      token: open.keys.write,
      body: callOf('get_slow', { ms: 500 }),
      headers: { 'mcp-session-id': stayer },
    })
    await expect.poll(() => entered).toHaveLength(2)
    leaving.abort()
    expect(await left).toBe('left')
    await expect.poll(() => seen).toEqual([60_000])
    expect((await staying).json).toMatchObject({ result: { structuredContent: { waitedMs: 500 } } })
    expect(seen).toEqual([60_000])
  })

  it('stop a call that its caller cancels, without a response', async () => {
    const { tool, entered, left } = watched()
    open = await openTestServer({ env: full, tools: [tool] })
    const session = await openSession(open.port, open.keys.read)
    const headers = { 'mcp-session-id': session }
    const call = rawRequest(open.port, {
      token: open.keys.read,
      headers,
      body: callOf('get_slow', { ms: 60_000 }, 'c'),
    })
    await expect.poll(() => entered).toHaveLength(1)
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } })
    expect((await rawRequest(open.port, { token: open.keys.read, headers, body })).status).toBe(202)
    expect((await call).text).toBe('')
    expect(left).toEqual([60_000])
  })

  it('close without breaking off what is in flight', async () => {
    const { tool, entered } = watched()
    open = await openTestServer({ env: full, tools: [tool] })
    const session = await openSession(open.port, open.keys.read)
    const headers = {
      authorization: `Bearer ${open.keys.read}`,
      'mcp-session-id': session,
      accept: 'text/event-stream',
    }
    const stream = await fetch(open.url, { headers })
    const call = rawRequest(open.port, {
      token: open.keys.read,
      body: callOf('get_slow', { ms: 600 }),
      headers: { 'mcp-session-id': session },
    })
    await expect.poll(() => entered).toHaveLength(1)
    const startedAt = performance.now()
    await open.server.close()
    // Were the stream waited for, it would be for ten seconds.
    expect(performance.now() - startedAt).toBeLessThan(9_000)
    expect((await call).json).toMatchObject({ result: { structuredContent: { waitedMs: 600 } } })
    expect(await stream.text()).toBe('')
    await expect(rawRequest(open.port)).rejects.toThrow('ECONNREFUSED')
    open = await openTestServer({ env: full })
  })
})

/** `get_slow`, with the milliseconds of the calls that began and of those whose caller left. */
function watched() {
  const [entered, left]: [unknown[], unknown[]] = [[], []]
  const tool: Tool = {
    ...slow,
    handle: async (input, context) => {
      entered.push(input['ms'])
      context.signal.addEventListener('abort', () => left.push(input['ms']))
      return slow.handle(input, context)
    },
  }
  return { tool, entered, left }
}
