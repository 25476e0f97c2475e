import { afterEach, describe, expect, it } from 'vitest'
import {
  connectFirst,
  connectModern,
  echo,
  emptyPlan,
  noOperations,
  openTestServer,
  type TestServer,
} from '../test-server.fixture.ts'
import { openSession, rawRequest } from '../raw-http.fixture.ts'
import type { McpTesting } from './mcp-server.ts'

const full = { SVC_MCP_PROFILE: 'full' }
let open: TestServer
afterEach(() => open.server.close())

describe('one endpoint, two eras', () => {
  it('answers requests of the fast path exactly as the SDK would', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const ask = async (method: string, params: unknown, id: number | string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      return rawRequest(open.port, { token: open.keys.read, headers, body })
    }
    const messages: readonly (readonly [string, Record<string, unknown> | undefined])[] = [
      ['ping', undefined],
      ['tools/list', {}],
      ['tools/call', { name: 'get_echo', arguments: { text: 'häi' } }],
      ['tools/call', { name: 'get_echo' }],
      ['tools/call', { name: 'get_failure', arguments: { how: 'own' } }],
      ['tools/call', { name: 'move_funds', arguments: {} }],
    ]
    for (const [method, params] of messages) {
      for (const id of [7, 'seven"\\']) {
        const fast = await ask(method, params, id)
        const throughSdk = await ask(method, { ...params, _meta: { progressToken: 'p' } }, id)
        expect(fast.headers['content-type']).toBe('application/json')
        expect(throughSdk.headers['content-type']).toBe('text/event-stream')
        expect(fast.json).toEqual(throughSdk.json)
        expect(fast.json).toMatchObject({ jsonrpc: '2.0', id })
      }
    }
  })

  it('shows a client its icon once, where a session begins, and not on answers that stand alone', async () => {
    open = await openTestServer({ env: full })
    const { client } = await connectModern(open.url, open.keys.write, 'legacy')
    const [icon] = client.getServerVersion()?.icons ?? []
    expect(icon).toMatchObject({ mimeType: 'image/svg+xml', sizes: ['any'] })
    const [, svg = ''] = /^data:image\/svg\+xml;base64,(.+)$/.exec(icon?.src ?? '') ?? []
    expect(atob(svg)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^]*<\/svg>$/)
    expect(atob(svg)).not.toMatch(/script|href|on\w+=/)
    const { tools } = await client.listTools()
    for (const { icons } of tools) expect(atob((icons?.[0]?.src ?? '').slice(26))).toMatch(/^<svg [^]*<\/svg>$/)
    await client.close()
    const alone = await connectModern(open.url, open.keys.read, 'modern')
    expect(JSON.stringify(await alone.client.listTools())).not.toContain('data:image')
    await alone.client.close()
  })

  it('leaves odd requests to the SDK, which refuses them by the book', async () => {
    open = await openTestServer({ env: full })
    const session = await openSession(open.port, open.keys.read)
    const ask = async (body: unknown, headers: Record<string, string> = {}) =>
      rawRequest(open.port, {
        token: open.keys.read,
        body: JSON.stringify(body),
        headers: { 'mcp-session-id': session, ...headers },
      })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_echo', arguments: { text: 'x' } } }
    expect((await ask(call, { accept: 'application/json' })).status).toBe(406)
    expect((await ask({ ...call, id: null })).status).toBe(400)
    expect((await ask({ ...call, id: 1.5 })).status).toBe(400)
    const withTask = await ask({ ...call, params: { ...call.params, task: { ttl: 1_000 } } })
    expect(withTask.headers['content-type']).toBe('text/event-stream')
    const ofNextEra = await ask(call, { 'mcp-protocol-version': '2026-07-28' })
    expect(ofNextEra.json).toMatchObject({ error: { code: -32602 } })
    expect((await ask({ ...call, params: { name: 5 } })).json).toMatchObject({ error: { code: -32602 } })
    expect((await ask({ ...call, method: 'tools/list', params: { cursor: 'x' } })).json).toMatchObject({
      error: { code: -32602 },
    })
    expect((await ask({ ...call, method: 'nonsense' })).json).toMatchObject({ error: { code: -32601 } })
    expect((await ask({ ...call, params: { name: 'nonsense' } })).json).toMatchObject({
      result: { isError: true, _meta: { 'svc/error': { code: 'TOOL_NOT_FOUND' } } },
    })
  })

  it('serves 2026-07-28 without sessions, next to them', async () => {
    open = await openTestServer({ env: full })
    const { client, transport } = await connectModern(open.url, open.keys.read, 'modern')
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(transport.sessionId).toBeUndefined()
    const { tools, ...rest } = await client.listTools()
    expect(tools).toHaveLength(3)
    expect(rest).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' })
    await client.close()
  })

  it('stops a 2026-07-28 call whose caller leaves', async () => {
    const seen: string[] = []
    const waiting = {
      ...echo,
      handle: (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
        seen.push('began')
        return new Promise<never>(() => signal.addEventListener('abort', () => seen.push('left')))
      },
    }
    open = await openTestServer({ env: full, tools: [waiting] })
    const { client } = await connectModern(open.url, open.keys.read, 'modern')
    const leaving = new AbortController()
    const call = client
      .callTool({ name: 'get_echo', arguments: { text: 'x' } }, { signal: leaving.signal })
      .catch(() => 'left')
    await expect.poll(() => seen).toEqual(['began'])
    leaving.abort()
    expect(await call).toBe('left')
    await expect.poll(() => seen).toEqual(['began', 'left'])
  })

  it('gives every class of callers its own list, the same bytes in every session and after a restart', async () => {
    open = await openTestServer({ env: full })
    const listOf = async (token: string) => {
      const session = await openSession(open.port, token)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      return (await rawRequest(open.port, { token, body, headers: { 'mcp-session-id': session } })).text
    }
    const first = await listOf(open.keys.read)
    expect(await listOf(open.keys.read)).toBe(first)
    expect(await listOf(open.keys.feedback)).toBe(first)
    expect(await listOf(open.keys.write)).not.toBe(first)
    expect(await listOf(open.keys.bearer)).toBe(await listOf(open.keys.write))
    await open.server.close()
    open = await openTestServer({ env: full })
    expect(await listOf(open.keys.read)).toBe(first)
  })

  it('lets a client of the first SDK validate plans and results against the listed schema', async () => {
    const plan = emptyPlan
    open = await openTestServer({
      env: full,
      write: {
        openExecute: () => async () => ({ status: 'planned', plan }),
        wallet: { address: '0x0000000000000000000000000000000000000001', type: 'local' },
        defaults: { slippageBps: 50, deadlineSeconds: 600 },
        atomicRoute: async () => null,
        idempotency: {
          begin: async () => ({ state: 'new' }),
          goOn: async () => false,
          takeOver: async () => false,
          finish: async () => {},
          abandon: async () => {},
        },
        hasSigned: async () => false,
        operations: noOperations,
        safety: () => expect.unreachable(),
        during: (work) => work(),
        underWay: () => 0,
        stop: async () => {},
        close: async () => {},
      },
    })
    const { client } = await connectFirst(open.url, open.keys.write)
    await client.listTools()
    const planned = await client.callTool({ name: 'move_funds', arguments: { amount: '1', dryRun: true } })
    const { chain: _, gasCostAtMost: _gas, gasCostAtMostUsd: _usd, ...reported } = plan
    expect(planned.structuredContent).toEqual({ status: 'planned', plan: reported })
    const refused = await client.callTool({ name: 'move_funds', arguments: { amount: 1 } })
    expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'VALIDATION_FAILED' } } })
    await client.close()
  })

  it('takes further request handlers from tests on the same stack, with progress', async () => {
    const testing: McpTesting = {
      server(server) {
        server.registerCapabilities({ prompts: {} })
        server.setRequestHandler('prompts/list', async (_request, context) => {
          const progressToken = context.mcpReq._meta?.progressToken
          if (progressToken !== undefined) {
            await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
          }
          return { prompts: [] }
        })
      },
    }
    open = await openTestServer({ env: full, testing })
    for (const era of ['legacy', 'modern'] as const) {
      const { client } = await connectModern(open.url, open.keys.read, era)
      const progress: number[] = []
      await client.request({ method: 'prompts/list' }, { onprogress: (step) => void progress.push(step.progress) })
      expect(progress).toEqual([1])
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toContain('get_echo')
      await client.close()
    }
  })
})
