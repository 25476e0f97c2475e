import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createLabelValues } from '../metrics/label-values.ts'
import { openSession, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer } from '../test-server.fixture.ts'
import { openTraces } from './open-traces.ts'
import { openSink } from './sink.fixture.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const facts = createLabelValues([{ name: 'get_echo' }, { name: 'get_failure' }], [{ id: 8453, name: 'base' }])
const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

/** A call of revision 2026-07-28, as a client that traces sends it. */
function call(name: string, args: unknown, envelope: Readonly<Record<string, unknown>> = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...envelope,
  }
  return {
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args, _meta } }),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
  }
}

describe('traces', () => {
  it('has a server span for a call, under the span that the client names, by the conventions for MCP', async () => {
    const sink = await openSink()
    const traces = openTraces(sink.url, facts)
    const open = await openTestServer({ observer: traces.observer })
    closers.push(() => open.server.close(), sink.close)
    const token = open.keys.read
    const traceparent = `00-${traceId}-${spanId}-01`
    await rawRequest(open.port, { token, ...call('get_echo', { text: 'a-secret-of-mine' }, { traceparent }) })
    await rawRequest(open.port, { token, ...call('get_failure', { how: 'own' }) })
    await traces.close()
    const [echo, failed] = sink.spans()
    expect(echo).toMatchObject({
      name: 'tools/call get_echo',
      kind: 2,
      traceId,
      parentSpanId: spanId,
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'get_echo',
        'network.transport': 'tcp',
        'mcp.protocol.version': '2026-07-28',
        'jsonrpc.request.id': '7',
      },
    })
    expect(failed).toMatchObject({
      name: 'tools/call get_failure',
      isError: true,
      attributes: { 'error.type': 'tool_error', 'svc.error.code': 'POOL_NOT_FOUND' },
    })
    expect(failed?.traceId).not.toBe(traceId)
    // Neither arguments nor answers nor keys.
    expect(sink.text()).not.toMatch(/a-secret-of-mine|svc_read/)
  })

  it('names the session of a call, with and without the protocol library, and the pipe of one over stdio', async () => {
    const sink = await openSink()
    const traces = openTraces(sink.url, facts)
    const open = await openTestServer({ observer: traces.observer })
    closers.push(() => open.server.close(), sink.close)
    const token = open.keys.read
    const session = await openSession(open.port, token)
    const ask = (more: object) => {
      const params = { name: 'get_echo', arguments: { text: 'hi' }, ...more }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
      return rawRequest(open.port, { token, body, headers: { 'mcp-session-id': session } })
    }
    await ask({})
    await ask({ _meta: { progressToken: 1 } })
    await traces.observer.call({ name: 'get_echo', principal: { stage: 'local' } }, async () => ({ content: [] }))
    await traces.close()
    const seen = sink.spans().map(({ attributes }) => [attributes['mcp.session.id'], attributes['network.transport']])
    expect(seen).toEqual([
      [session, 'tcp'],
      [session, 'tcp'],
      [undefined, 'pipe'],
    ])
  })

  it('sends an id that is a number or a UUID, and no other text', async () => {
    const sink = await openSink()
    const traces = openTraces(sink.url, facts)
    closers.push(sink.close)
    const uuid = '0af76519-16cd-43dd-8448-eb211c80319c'
    for (const id of [7, '8', uuid, 'words-of-mine', 'x'.repeat(200_000)]) {
      await traces.observer.call({ name: 'get_echo', origin: { id, revision: 'r'.repeat(1_000) } }, async () => ({
        content: [],
      }))
    }
    await traces.close()
    const attributes = sink.spans().map((span) => span.attributes)
    expect(attributes.map((one) => one['jsonrpc.request.id'])).toEqual(['7', '8', uuid, undefined, undefined])
    expect(attributes.map((one) => one['mcp.protocol.version'])).toEqual(
      Array.from({ length: 5 }, () => 'r'.repeat(128)),
    )
  })

  it('has stages under their call and questions to endpoints under their stage, each call apart', async () => {
    const sink = await openSink()
    const traces = openTraces(sink.url, facts)
    const { observer } = traces
    closers.push(sink.close)
    const answered = { chainId: 1, place: 0, isPrivate: false, method: 'eth_call', outcome: 'answered', ms: 1 } as const
    const stage = { stage: 'simulate', tool: 'get_echo', requestId: 'r', chainId: 8453, dryRun: false }
    const one = () =>
      observer.call({ name: 'get_echo' }, async () => {
        await observer.stage(stage, async () => {
          await new Promise((resolve) => setImmediate(resolve))
          observer.rpc({ ...answered, headAtSeconds: null })
        })
        return { content: [] }
      })
    await Promise.all([one(), one()])
    // Nobody's: it would be a trace of one span.
    observer.rpc({ ...answered, headAtSeconds: null })
    await traces.close()
    const spans = sink.spans()
    expect(spans).toHaveLength(6)
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const parentOf = ({ parentSpanId }: (typeof spans)[0]) => byId.get(parentSpanId ?? '')?.name
    expect(spans.map((span) => `${span.name} < ${parentOf(span)}`).toSorted()).toEqual([
      'eth_call < svc.tx simulate',
      'eth_call < svc.tx simulate',
      'svc.tx simulate < tools/call get_echo',
      'svc.tx simulate < tools/call get_echo',
      'tools/call get_echo < undefined',
      'tools/call get_echo < undefined',
    ])
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(2)
  })

  it('costs no call where no collector answers', async () => {
    const away = createServer()
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
    const { port } = away.address() as AddressInfo
    await new Promise((resolve) => away.close(resolve))
    const traces = openTraces(`http://127.0.0.1:${port}/v1/traces`, facts)
    const open = await openTestServer({ observer: traces.observer })
    closers.push(() => open.server.close())
    const answer = await rawRequest(open.port, { token: open.keys.read, ...call('get_echo', { text: 'hi' }) })
    expect(answer.json).toMatchObject({ result: { structuredContent: { text: 'hi' } } })
    await traces.close().catch(() => {})
  })
})
