import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { callOf, initialize, openSession, rawBytes, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, testTools, type TestServer } from '../test-server.fixture.ts'
import { readTool } from '../tool.ts'
import { createTraffic } from '../traffic.ts'
import { holdable } from './holdable.fixture.ts'
import { certificate, certificateKey } from './tls.fixture.ts'
import { answers, openSocket } from './web-socket.fixture.ts'

const full = { SVC_MCP_PROFILE: 'full' }
const opened: TestServer[] = []
afterEach(async () => {
  for (const { server } of opened.splice(0)) await server.close()
})

async function openServer(options: Parameters<typeof openTestServer>[0]): Promise<TestServer> {
  const open = await openTestServer(options)
  opened.push(open)
  return open
}

const closeOf = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
  })

describe('a client is cut off', () => {
  it('that sends its body byte by byte', async () => {
    const open = await openServer({ env: full, limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } })
    const socket = connect(open.port, '127.0.0.1')
    const host = `host: 127.0.0.1\r\nauthorization: Bearer ${open.keys.read}\r\n`
    socket.write(`POST /mcp HTTP/1.1\r\n${host}content-type: application/json\r\ncontent-length: 200000\r\n\r\n`)
    const dripping = setInterval(() => socket.write(' '), 10)
    await closeOf(socket)
    clearInterval(dripping)
  })

  it('and none that is slow within the limits that servers have', async () => {
    const open = await openServer({ env: full })
    const socket = connect(open.port, '127.0.0.1')
    let answer = ''
    const answered = new Promise<void>((resolve) => {
      socket.setEncoding('utf8').on('data', (part: string) => {
        answer += part
        if (answer.includes('protocolVersion')) resolve()
      })
    })
    const fields = [
      ['host', 'localhost'],
      ['authorization', `Bearer ${open.keys.read}`],
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ] as const
    for (const part of rawBytes('POST /mcp', fields, initialize()).match(/[^]{1,40}/g) ?? []) {
      socket.write(part)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await answered
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  it('that never begins the handshake of TLS', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-tls-'))
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')]
    writeFileSync(cert, certificate)
    writeFileSync(key, certificateKey)
    const open = await openServer({
      env: { SVC_LISTEN: '0.0.0.0:0', SVC_TLS_CERT: cert, SVC_TLS_KEY: key },
      limits: { headersTimeoutMs: 100 },
    })
    await closeOf(connect(open.port, '127.0.0.1'))
  })

  it('that does not take its answer, and no stream that has nothing to say', async () => {
    const traffic = createTraffic()
    const open = await openServer({ env: full, traffic, tools: [large], limits: { stalledMs: 200 } })
    const session = await openSession(open.port, open.keys.read)
    const quiet = { 'mcp-session-id': await openSession(open.port, open.keys.write) }
    const stream = await fetch(open.url, {
      headers: { ...quiet, authorization: `Bearer ${open.keys.write}`, accept: 'text/event-stream' },
    })
    const socket = connect(open.port, '127.0.0.1').pause()
    const fields = [
      ['host', 'localhost'],
      ['authorization', `Bearer ${open.keys.read}`],
      ['mcp-session-id', session],
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ] as const
    socket.write(rawBytes('POST /mcp', fields, callOf('get_large', {})))
    // Two requests opened each session, and the stream is open still.
    await expect.poll(() => [...traffic.counts]).toEqual([6, 5])
    await closeOf(socket)
    expect(socket.bytesRead).toBeLessThan(answerBytes)
    await rawRequest(open.port, { method: 'DELETE', token: open.keys.write, headers: quiet })
    expect(await stream.text()).toBe('')
  })

  it('and none that takes a large answer', async () => {
    const open = await openServer({ env: full, tools: [large] })
    const headers = { 'mcp-session-id': await openSession(open.port, open.keys.read) }
    const whole = await rawRequest(open.port, { token: open.keys.read, headers, body: callOf('get_large', {}) })
    expect(whole.text.length).toBeGreaterThan(answerBytes)
  })
})

it('closing waits for calls as long as it says, whatever hangs: a call, a stream, a call over WebSocket, a client that reads nothing', async () => {
  const [slow, held] = holdable()
  const open = await openServer({
    env: { ...full, SVC_WEBSOCKET: 'on' },
    tools: [slow, large, ...testTools.filter(({ name }) => name !== 'get_slow')],
    limits: { drainMs: 50 },
  })
  const session = await openSession(open.port, open.keys.read)
  const headers = { 'mcp-session-id': session }
  const asked = rawRequest(open.port, { token: open.keys.read, headers, body: callOf('get_slow', { ms: 1 }) })
  await held.entered
  const stream = await fetch(open.url, {
    headers: { ...headers, authorization: `Bearer ${open.keys.read}`, accept: 'text/event-stream' },
  })
  const { socket, closed, until } = await openSocket(open.port, open.keys.read)
  socket.send(initialize())
  await until(answers(0))
  socket.send(callOf('get_slow', { ms: 1 }, 1))
  const silent = connect(open.port, '127.0.0.1')
  const gone = closeOf(silent)
  // Nothing but its own bound lets it end: the calls are held until it has.
  await open.server.close()
  expect(await asked).toMatchObject({ status: 200, text: '' })
  expect(await stream.text()).toBe('')
  expect(await closed).toMatchObject({ code: 1001 })
  await gone
  held.release()
})

const answerBytes = 12_000_000
/** More than what lies between two sockets of one machine. */
const large = readTool({
  name: 'get_large',
  title: 'Large',
  description: 'Answers with a lot.',
  scope: 'read:market',
  input: z.strictObject({}),
  output: z.object({ text: z.string() }),
}).handler(async () => ({ text: 'x'.repeat(answerBytes) }))
