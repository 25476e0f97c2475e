import { afterEach, expect, test } from 'vitest'
import { rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { createTraffic } from '../traffic.ts'

let open: TestServer
afterEach(() => open.server.close())

test('every request is counted as it comes in, and its answer, a refusal too', async () => {
  const traffic = createTraffic()
  open = await openTestServer({ traffic })
  await rawRequest(open.port, { method: 'GET', path: '/healthz' })
  await rawRequest(open.port, { method: 'GET', path: '/nowhere' })
  await expect.poll(() => [...traffic.counts]).toEqual([2, 2])
})
