import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { callOf, openSession, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { createTraffic } from '../traffic.ts'
import { holdable } from './holdable.fixture.ts'

let open: TestServer
afterEach(() => open.server.close())

test('every request is counted as it comes in, and its answer, a refusal too', async () => {
  const traffic = createTraffic()
  open = await openTestServer({ traffic })
  await rawRequest(open.port, { method: 'GET', path: '/healthz' })
  await rawRequest(open.port, { method: 'GET', path: '/nowhere' })
  await expect.poll(() => [...traffic.counts]).toEqual([2, 2])
})

test('requests whose connection ends while they wait behind another of it are over too', async () => {
  const traffic = createTraffic()
  const [tool, held] = holdable()
  open = await openTestServer({ traffic, env: { SVC_MCP_PROFILE: 'full' }, tools: [tool] })
  const session = await openSession(open.port, open.keys.read)
  await expect.poll(() => [...traffic.counts]).toEqual([2, 2])
  const socket = connect(open.port, '127.0.0.1')
  await once(socket, 'connect')
  const body = callOf('get_slow', { ms: 1 })
  const host = `host: 127.0.0.1:${open.port}`
  const head = [
    'POST /mcp HTTP/1.1',
    host,
    `authorization: Bearer ${open.keys.read}`,
    `mcp-session-id: ${session}`,
    'accept: application/json, text/event-stream',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}${`GET /healthz HTTP/1.1\r\n${host}\r\n\r\n`.repeat(3)}`)
  await held.entered
  await expect.poll(() => [...traffic.counts]).toEqual([6, 2])
  socket.destroy()
  await expect.poll(() => [...traffic.counts]).toEqual([6, 6])
  held.release()
})
