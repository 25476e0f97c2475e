import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { localPrincipal } from './stdio.ts'
import { createDispatch } from '../dispatch/dispatch.ts'
import { createLog, createRedactor } from '@svc/runtime'
import type { Ports } from '../ports.ts'
import { initialize, rawRequest } from '../raw-http.fixture.ts'
import type { StatusReport } from '../tool.ts'
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

/** The era behind a bare HTTP server; `answered` holds the end of every exchange. */
async function openEra() {
  const clock = { ms: 0 }
  const now = () => clock.ms
  const log = createLog({ level: 'silent', redactor: createRedactor(), destination: { write: () => {} } })
  const dispatch = createDispatch({
    tools: [],
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
  const made = createProtocol({ dispatch, info, instructions: '', testing: null, log, ...noAsking })
  const protocol = () => Promise.resolve(made)
  const sessions = createSessions({ max: 10, idleMs, now })
  const era = createLegacyEra({
    dispatch,
    sessions,
    protocol,
    testing: null,
    isFast: true,
    newSessionId: () => 's',
    now,
  })
  const answered: Promise<void>[] = []
  const server = createServer((request, response) => {
    const exchange = { request, response, principal: localPrincipal }
    const initializing = request.method === 'POST'
    answered.push(initializing ? era.post(exchange, JSON.parse(initialize())) : era.session(exchange))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(
    () => sessions.closeAll(),
    () => server.close(),
  )
  return { sessions, clock, answered, port: (server.address() as AddressInfo).port }
}
