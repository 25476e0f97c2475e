import { request, type IncomingMessage } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { statelessRevision } from './protocol-facts.ts'

const prefix = 'io.modelcontextprotocol/'
const method = 'subscriptions/listen'
let open: TestServer
afterEach(() => open.server.close())

/** Opens a stream; gives its status, its first words, and whether it has ended since. */
function listen(token: string) {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': statelessRevision,
    'mcp-method': method,
  }
  const meta = { [`${prefix}protocolVersion`]: statelessRevision, [`${prefix}clientCapabilities`]: {} }
  const notifications = { resourceSubscriptions: ['svc://watches/1'] }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta: meta } })
  return new Promise<Heard>((resolve, reject) => {
    const outgoing = request({
      port: open.port,
      host: '127.0.0.1',
      path: '/mcp',
      method: 'POST',
      headers,
      agent: false,
    })
    outgoing.on('error', reject).on('response', (incoming: IncomingMessage) => {
      const leave = () => void outgoing.destroy()
      const stream: Heard = { status: incoming.statusCode ?? 0, text: '', isOver: false, leave }
      incoming.on('error', () => {}).on('close', () => void (stream.isOver = true))
      incoming.setEncoding('utf8').on('data', (part: string) => {
        stream.text += part
        resolve(stream)
      })
    })
    outgoing.end(body)
  })
}

type Heard = { readonly status: number; text: string; isOver: boolean; readonly leave: () => void }

it('streams outside of sessions are as many as sessions, and whoever holds them all makes room for somebody else', async () => {
  open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, limits: { maxSessions: 3 } })
  const { read, write } = open.keys
  const own = [await listen(read), await listen(read), await listen(read)]
  expect(own.map(({ status, text }) => [status, text.includes('acknowledged')])).toEqual(own.map(() => [200, true]))
  const more = await listen(read)
  expect([more.status, JSON.parse(more.text)]).toEqual([503, expect.objectContaining({ code: 'SESSION_LIMIT' })])
  expect((await listen(write)).status).toBe(200)
  await expect.poll(() => own.map(({ isOver }) => isOver)).toEqual([true, false, false])
})

it('a stream that is over holds no place', async () => {
  open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, limits: { maxSessions: 1 } })
  const { read, write } = open.keys
  const first = await listen(read)
  expect((await listen(write)).status).toBe(503)
  first.leave()
  await expect.poll(async () => (await listen(write)).status).toBe(200)
})
