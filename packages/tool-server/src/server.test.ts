import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectFirst, connectModern, openTestServer, type TestServer } from './test-server.fixture.ts'

describe('the server, through clients nobody here wrote', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' } })
  })
  afterAll(() => open.server.close())

  const clients = {
    'first SDK': async (token: string) => (await connectFirst(open.url, token)).client,
    'current SDK, 2025 handshake': async (token: string) => (await connectModern(open.url, token, 'legacy')).client,
    'current SDK, 2026-07-28': async (token: string) => (await connectModern(open.url, token, 'modern')).client,
  }

  for (const [name, connect] of Object.entries(clients)) {
    it(`lists, calls and sees our error codes: ${name}`, async () => {
      const client = await connect(open.keys.read)
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toEqual(['get_echo', 'get_failure', 'get_slow'])
      const answer = await client.callTool({ name: 'get_echo', arguments: { text: 'hi', times: 2 } })
      expect(answer).toMatchObject({ structuredContent: { text: 'hihi' } })
      const failure = await client.callTool({ name: 'get_failure', arguments: { how: 'own' } })
      expect(failure).toMatchObject({
        isError: true,
        _meta: {
          'svc/error': { code: 'POOL_NOT_FOUND', retryable: false, details: [{ field: 'fee', message: 'none' }] },
        },
      })
      expect(failure).not.toHaveProperty('structuredContent')
      const hidden = await client.callTool({ name: 'move_funds', arguments: { amount: '1' } })
      expect(hidden).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'INSUFFICIENT_KEY_TIER' } } })
      await client.close()
    })
  }
})
