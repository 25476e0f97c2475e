import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { callOf, initialize, rawBytes, rawExchange, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { createBodyRoom } from './json-body.ts'
import { statelessRevision } from './protocol-facts.ts'
import { openSocket } from './web-socket.fixture.ts'

let open: TestServer
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await open.server.close()
})

describe('bodies that are on their way', () => {
  const fieldsOf = (length: number) => [
    ['host', 'localhost'] as const,
    ['authorization', `Bearer ${open.keys.read}`] as const,
    ['content-type', 'application/json'] as const,
    ['accept', 'application/json, text/event-stream'] as const,
    ['content-length', `${length}`] as const,
  ]

  it('are held within one room for all; plain calls have their own, and room comes back with whoever leaves', async () => {
    const whole = 262_144
    const beyondOwn = whole - 1 - 16_384
    open = await openTestServer({ limits: { bodyRoomBytes: 2 * beyondOwn } })
    const exchange = async (bytes: number) => {
      const body = '{}'.padEnd(bytes, ' ')
      return (await rawExchange(open.port, rawBytes('POST /mcp', fieldsOf(bytes)) + body)).status
    }
    expect(await exchange(whole)).toBe(400)
    for (let index = 0; index < 3; index += 1) sockets.push(connect(open.port, '127.0.0.1'))
    let refused = 0
    for (const socket of sockets) {
      socket.on('error', () => {}).on('data', (part) => void (refused += Number(String(part).includes(' 503 '))))
      socket.write(rawBytes('POST /mcp', fieldsOf(whole)) + ' '.repeat(whole - 1))
    }
    await expect.poll(() => refused).toBe(1)
    expect([await exchange(whole), await exchange(16_384)]).toEqual([503, 400])
    for (const socket of sockets.splice(0)) socket.destroy()
    await expect.poll(() => exchange(whole)).toBe(400)
  })

  it('give room back once, whatever was asked for in vain', () => {
    const room = createBodyRoom(10)
    const [one, other] = [room.open(), room.open()]
    const own = 16_384
    expect([one.holds(own), one.holds(own + 7), other.holds(own + 4), other.holds(own + 3)]).toEqual([
      true,
      true,
      false,
      true,
    ])
    one.close()
    one.close()
    expect([other.holds(own + 10), room.open().holds(own + 1)]).toEqual([true, false])
  })
})

describe('what opens a session or a stream, and is kept as long as that', () => {
  const opening = (version: string, bytes: number) => {
    const { params, ...message } = JSON.parse(initialize(version, 7)) as { readonly params: object }
    const clientInfo = { name: 'x'.repeat(bytes), version: '1' }
    return JSON.stringify({ ...message, params: { ...params, clientInfo } })
  }
  const listening = (bytes: number) => {
    const params = { notifications: { resourceSubscriptions: ['x'.repeat(bytes)] } }
    return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params })
  }

  it('may not be as large as other requests, over HTTP and over WebSocket', async () => {
    open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full', SVC_WEBSOCKET: 'on' } })
    const ask = (body: string) => rawRequest(open.port, { token: open.keys.read, body })
    for (const body of [opening('2025-11-25', 70_000), listening(9_000)])
      expect(await ask(body)).toMatchObject({ status: 413, json: { code: 'PAYLOAD_TOO_LARGE' } })
    for (const body of [
      opening('2025-11-25', 60_000),
      listening(8_000),
      callOf('get_echo', { text: 'x'.repeat(200_000) }),
    ])
      expect((await ask(body)).status).not.toBe(413)
    const { socket, heard } = await openSocket(open.port, open.keys.read)
    const refused = { error: { code: -32_600, message: expect.stringMatching(/kept/) } }
    for (const body of [opening('2025-11-25', 70_000), listening(9_000), opening('2025-11-25', 60_000)])
      socket.send(body)
    await expect.poll(() => heard).toMatchObject([refused, refused, { result: { protocolVersion: '2025-11-25' } }])
    socket.close()
  })
})

it('a refusal quotes only so much of what was sent', async () => {
  open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' } })
  const method = 'x'.repeat(200_000)
  const meta = {
    'io.modelcontextprotocol/protocolVersion': statelessRevision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const { status, text, json } = await rawRequest(open.port, {
    token: open.keys.read,
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { _meta: meta } }),
    headers: { 'mcp-protocol-version': statelessRevision, 'mcp-method': 'tools/list' },
  })
  expect([status, json]).toMatchObject([400, { id: 7, error: { message: expect.stringMatching(/disagree/) } }])
  expect(text.length).toBeLessThan(2_000)
})
