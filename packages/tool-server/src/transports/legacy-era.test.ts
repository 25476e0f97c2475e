import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import * as z from 'zod'
import { localPrincipal } from './stdio.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import { createLog, createRedactor } from '@svc/runtime'
import type { Ports } from '../ports.ts'
import { initialize, rawRequest } from '../raw-http.fixture.ts'
import { readTool } from '../tool.ts'
import type { StatusReport } from '../tool-context.ts'
import { noAsking } from './asking.fixture.ts'
import { createLegacyEra } from './legacy-era.ts'
import { createProtocol } from './protocol.ts'
import { createSessions } from './sessions.ts'

const idleMs = 1_000
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

it('counts a session as idle from the end of its stream, not from its beginning', async () => {
  const { sessions, clock, answered, port } = await openEra()
  await rawRequest(port, { body: initialize() })
  const leaving = new AbortController()
  await fetch(`http://127.0.0.1:${port}/mcp`, {
    headers: { 'mcp-session-id': 's', accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  clock.ms += 2 * idleMs
  await sessions.sweep()
  leaving.abort()
  await answered[1]
  clock.ms += idleMs - 1
  await sessions.sweep()
  expect(sessions.size).toBe(1)
  clock.ms += 1
  await sessions.sweep()
  expect(sessions.size).toBe(0)
})

it('makes each call in the name of the token that came with it, whichever token opened the session, with the library and without', async () => {
  const { port } = await openEra()
  const headers = (token: string) => ({ 'mcp-session-id': 's', 'x-token': token })
  await rawRequest(port, { body: initialize(), headers: { 'x-token': 'first' } })
  const callWith = async (params: object, token: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: token, method: 'tools/call', params })
    const answer = await rawRequest(port, { body, headers: headers(token) })
    return (answer.json as { result: { structuredContent: { tokenId: string } } }).result.structuredContent.tokenId
  }
  const plain = { name: 'get_token_id', arguments: {} }
  for (const params of [plain, { ...plain, _meta: { progressToken: 1 } }]) {
    expect(await Promise.all([callWith(params, 'second'), callWith(params, 'third')])).toEqual(['second', 'third'])
  }
})

it('begins a plain session and lists its tools without the protocol library, which learns of it when it is needed', async () => {
  const { port, asked } = await openEra()
  const headers = { 'mcp-session-id': 's' }
  const say = (body: object) => rawRequest(port, { body: JSON.stringify({ jsonrpc: '2.0', ...body }), headers })
  expect((await rawRequest(port, { body: initialize() })).headers['mcp-session-id']).toBe('s')
  expect(await say({ method: 'notifications/initialized' })).toMatchObject({ status: 202, text: '' })
  expect((await say({ id: 1, method: 'tools/list' })).json).toMatchObject({ result: { tools: [{}] } })
  expect(asked.protocol).toBe(0)
  const params = { name: 'get_token_id', arguments: {}, _meta: { progressToken: 1 } }
  expect((await say({ id: 2, method: 'tools/call', params })).json).toMatchObject({ id: 2, result: {} })
  expect(asked.protocol).toBe(1)
  expect((await rawRequest(port, { method: 'DELETE', headers })).status).toBe(200)
  expect((await say({ id: 3, method: 'tools/list' })).status).toBe(404)
})

const tokenIdOf = readTool({
  name: 'get_token_id',
  title: 'Token id',
  description: 'Says by which token it was called.',
  scope: 'read:market',
  input: z.strictObject({}),
  output: z.object({ tokenId: z.string() }),
}).handler(async (_input, { principal }) => ({ tokenId: principal.tokenId ?? 'none' }))

/** The era behind a bare HTTP server; `answered` holds the end of every exchange. */
async function openEra() {
  const clock = { ms: 0 }
  const now = () => clock.ms
  const log = createLog({ level: 'silent', redactor: createRedactor(), destination: { write: () => {} } })
  const dispatch = createDispatch({
    tools: [tokenIdOf],
    profile: 'full',
    ports: {} as Ports,
    status: {} as StatusReport,
    write: null,
    isInForce: () => true,
    log,
    now,
    newRequestId: () => 'r',
  })
  const info = { name: 'x', version: '1' }
  const made = createProtocol({ dispatch, info, instructions: '', testing: null, log, mostStreams: 1, ...noAsking })
  const asked = { protocol: 0 }
  const protocol = () => {
    asked.protocol += 1
    return Promise.resolve(made)
  }
  const sessions = createSessions({ max: 10, idleMs, now })
  const era = createLegacyEra({
    dispatch,
    sessions,
    protocol,
    info,
    instructions: '',
    testing: null,
    isFast: true,
    newSessionId: () => 's',
    now,
  })
  const answered: Promise<void>[] = []
  const server = createServer((request, response) => {
    const principal = { ...localPrincipal, tokenId: String(request.headers['x-token']) }
    const exchange = { request, response, principal }
    const posted = async () => era.post(exchange, await json(request))
    answered.push(request.method === 'POST' ? posted() : era.session(exchange))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(
    () => sessions.closeAll(),
    () => server.close(),
  )
  return { sessions, clock, answered, asked, port: (server.address() as AddressInfo).port }
}
