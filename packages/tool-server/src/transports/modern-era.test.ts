import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { localPrincipal } from './stdio.ts'
import { createLog, createRedactor } from '@svc/runtime'
import { rawRequest } from '../raw-http.fixture.ts'
import { createHeldStreams, createModernEra } from './protocol.ts'

it('stops watching for the caller to leave, also when the answer cannot be written', async () => {
  const log = createLog({ level: 'silent', redactor: createRedactor(), destination: { write: () => {} } })
  const streams = createHeldStreams({ max: 1, now: () => 0 })
  const era = createModernEra({ newMcpServer: () => expect.unreachable(), log, streams, tasks: null })
  const ends: PromiseSettledResult<void>[] = []
  const listeners: { before: number; after: number }[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200)
    const before = response.listenerCount('close')
    ends.push(...(await Promise.allSettled([era.post({ request, response, principal: localPrincipal }, {})])))
    listeners.push({ before, after: response.listenerCount('close') })
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await rawRequest((server.address() as AddressInfo).port)
  server.close()
  await era.close()
  expect(ends).toMatchObject([{ status: 'rejected', reason: { code: 'ERR_HTTP_HEADERS_SENT' } }])
  expect(listeners).toEqual([{ before: listeners[0]?.before, after: listeners[0]?.before }])
})
