import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, type TestServer } from '../test-server.fixture.ts'
import { bigPlan, openAskingPipeline } from './asking.fixture.ts'
import { statelessRevision } from './protocol-facts.ts'

type Asked = { readonly message: string; readonly requestedSchema?: unknown }
type Reply = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, boolean> }
type Answer = (asked: Asked) => Promise<Reply>

const yes: Answer = async () => ({ action: 'accept', content: { approve: true } })
const big = { name: 'move_funds', arguments: { amount: '9000' } }

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function open(options: Parameters<typeof openAskingPipeline>[0] = {}) {
  const pipeline = await openAskingPipeline(options)
  const server = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, write: pipeline.write })
  opened.push(server.server)
  return { ...pipeline, ...server }
}

/** Real clients of three kinds, each with a person behind it who answers as the test says, or nobody. */
const clients = {
  'the first SDK, in a session': async ({ url, keys }: TestServer, answer: Answer | null, token = keys.write) => {
    const client = new FirstClient(
      { name: 'test', version: '1' },
      { capabilities: answer === null ? {} : { elicitation: {} } },
    )
    if (answer !== null) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
    const headers = { authorization: `Bearer ${token}` }
    await client.connect(new FirstTransport(new URL(url), { requestInit: { headers } }))
    opened.push(client)
    return client
  },
  'the second SDK, in a session': (server: TestServer, answer: Answer | null, token?: string) =>
    second(server, answer, 'legacy', token),
  'the second SDK, in 2026-07-28': (server: TestServer, answer: Answer | null, token?: string) =>
    second(server, answer, 'modern', token),
}

async function second({ url, keys }: TestServer, answer: Answer | null, era: 'legacy' | 'modern', token = keys.write) {
  const client = new ModernClient(
    { name: 'test', version: '1' },
    {
      capabilities: answer === null ? {} : { elicitation: { form: {} } },
      ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}),
    },
  )
  if (answer !== null) client.setRequestHandler('elicitation/create', ({ params }) => answer(params as Asked))
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new ModernTransport(new URL(url), { requestInit: { headers } }))
  opened.push(client)
  return client
}

const codeOf = (result: { readonly _meta?: unknown }) =>
  (result._meta as { 'svc/error'?: { code: string } } | undefined)?.['svc/error']?.code

describe.each(Object.entries(clients))('asking through a client: %s', (_name, connect) => {
  it('shows what would happen in our own words and carries it out on a yes, in the same call', async () => {
    const asked: Asked[] = []
    const server = await open()
    const client = await connect(server, async (question) => (asked.push(question), yes(question)))
    const result = await client.callTool(big)
    expect(result).toMatchObject({ structuredContent: { status: 'success', amount: '9000' } })
    expect(server.effects).toEqual(['9000'])
    expect(asked).toHaveLength(1)
    const { message = '', requestedSchema } = asked[0] ?? {}
    for (const text of [
      bigPlan.why,
      '9,000 "USDC\\u000a\\u202eApprove: yes" (9,000.00 USD, token 0x0000000000000000000000000000000000000002)',
      '9,000 USD',
      'move_funds',
      bigPlan.planHash,
    ]) {
      expect(message).toContain(text)
    }
    expect(message).toMatch(/^[ -~\n]*$/)
    expect(requestedSchema).toMatchObject({ required: ['approve'], properties: { approve: { type: 'boolean' } } })
    expect(JSON.stringify(requestedSchema)).not.toContain('default')
    const [row] = await server.operations.list({ principalId: null, limit: 9 })
    expect(row).toMatchObject({ state: 'done', decidedBy: expect.stringMatching(/^client:/) })
    expect(server.audited).toMatchObject([{ event: 'tx.approval.decided', approved: true }])
  })

  it('asks about a plan that an earlier version stored, and about none that cannot be read', async () => {
    const { chain: _chain, gasCostAtMost: _most, gasCostAtMostUsd: _usd, ...old } = bigPlan
    const [known, damaged] = [await open({ plan: old }), await open({ plan: {} })]
    const client = await connect(known, yes)
    expect(await client.callTool(big)).toMatchObject({ structuredContent: { status: 'success' } })
    const other = await connect(damaged, () => expect.unreachable('asked'))
    expect(codeOf(await other.callTool(big))).toBe('APPROVAL_REQUIRED')
    expect(damaged.effects).toEqual([])
  })

  it.each<[string, Reply, string, string]>([
    ['declined', { action: 'decline' }, 'APPROVAL_DENIED', 'denied'],
    ['sent off without the tick', { action: 'accept', content: { approve: false } }, 'APPROVAL_DENIED', 'denied'],
    ['closed', { action: 'cancel' }, 'APPROVAL_REQUIRED', 'awaiting_approval'],
  ])('does nothing when the form is %s', async (_name, reply, code, state) => {
    const server = await open()
    const client = await connect(server, async () => reply)
    expect(codeOf(await client.callTool(big))).toBe(code)
    expect(server.effects).toEqual([])
    expect((await server.operations.list({ principalId: null, limit: 9 })).map((row) => row.state)).toEqual([state])
  })

  it('asks all the same when it cannot be told how many others wait', async () => {
    const server = await open()
    server.operations.count = () => Promise.reject(new Error('away'))
    const client = await connect(server, async () => ({ action: 'accept', content: { approve: true } }))
    expect(codeOf(await client.callTool(big))).toBeUndefined()
    expect(server.effects).toHaveLength(1)
  })

  it('names the operation that waits when it cannot be read back', async () => {
    const server = await open()
    server.operations.byId = () => Promise.reject(new Error('away'))
    const client = await connect(server, () => Promise.reject(new Error('asked')))
    expect(codeOf(await client.callTool(big))).toBe('APPROVAL_REQUIRED')
  })

  it('asks nobody where the policy leaves the client out, or the client shows no forms', async () => {
    const unasked: Answer = () => Promise.reject(new Error('asked'))
    const strict = await open({ channels: ['operator'] })
    expect(codeOf(await (await connect(strict, unasked)).callTool(big))).toBe('APPROVAL_REQUIRED')
    const lenient = await open()
    expect(codeOf(await (await connect(lenient, null)).callTool(big))).toBe('APPROVAL_REQUIRED')
    const small = { name: 'move_funds', arguments: { amount: '1' } }
    expect(codeOf(await (await connect(lenient, unasked)).callTool(small))).toBeUndefined()
    expect(lenient.effects).toEqual(['1'])
  })

  it('leaves the operation to the operator when the client goes while its person thinks', async () => {
    const server = await open()
    const leaving = new AbortController()
    const client = await connect(server, () => {
      leaving.abort()
      return new Promise(() => {})
    })
    // The two generations take a call's options in different places; the second waits for its person even then.
    const call =
      client instanceof FirstClient
        ? client.callTool(big, undefined, { signal: leaving.signal })
        : client.callTool(big, { signal: leaving.signal })
    call.catch(() => {})
    await expect.poll(() => leaving.signal.aborted).toBe(true)
    const states = async () => (await server.operations.list({ principalId: null, limit: 9 })).map((row) => row.state)
    await expect.poll(states).toEqual(['awaiting_approval'])
    expect(server.effects).toEqual([])
  })
})

describe('asking in a session', () => {
  it('lets other calls of the session go on, and ends the waiting when the server closes', async () => {
    const server = await open()
    let shown = () => {}
    const waits = new Promise<void>((resolve) => void (shown = resolve))
    const client = await second(server, () => (shown(), new Promise(() => {})), 'legacy')
    const call = client.callTool(big).catch((error: unknown) => error)
    await waits
    const echo = await client.callTool({ name: 'get_echo', arguments: { text: 'x' } })
    expect(echo.structuredContent).toMatchObject({ text: 'x' })
    await server.server.close()
    expect(codeOf((await call) as object)).toBe('APPROVAL_REQUIRED')
    expect(server.effects).toEqual([])
  })

  it('waits no longer than the operation', async () => {
    const server = await open({ expirySeconds: 1 })
    const client = await second(server, () => new Promise(() => {}), 'legacy')
    expect(codeOf(await client.callTool(big))).toBe('APPROVAL_REQUIRED')
    const states = async () => (await server.operations.list({ principalId: null, limit: 9 })).map((row) => row.state)
    await expect.poll(states).toEqual(['expired'])
  })
})

describe('the state a 2026-07-28 client carries', () => {
  const prefix = 'io.modelcontextprotocol/'
  const accepted = { approval: { action: 'accept', content: { approve: true } } }

  /** One bare call of the revision, by a client that shows forms unless told otherwise. */
  async function call(server: TestServer, params: Readonly<Record<string, unknown>>, token = server.keys.write) {
    const meta = {
      [`${prefix}protocolVersion`]: statelessRevision,
      [`${prefix}clientInfo`]: { name: 'raw', version: '1' },
      [`${prefix}clientCapabilities`]: { elicitation: { form: {} } },
    }
    const answer = await rawRequest(server.port, {
      token,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } }),
      headers: { 'mcp-protocol-version': statelessRevision, 'mcp-method': 'tools/call', 'mcp-name': 'move_funds' },
    })
    const { result } = answer.json as { readonly result: Readonly<Record<string, unknown>> }
    return result
  }

  async function question(options: Parameters<typeof open>[0] = {}) {
    const server = await open(options)
    const result = await call(server, big)
    expect(result).toMatchObject({ resultType: 'input_required' })
    return { server, requestState: String(result['requestState']) }
  }

  it('works once: a replay is refused with a code and has no effect', async () => {
    const { server, requestState } = await question()
    const again = { ...big, requestState, inputResponses: accepted }
    const [one, two] = await Promise.all([call(server, again), call(server, again)])
    const codes = [codeOf(one), codeOf(two)]
    expect(codes).toContain(undefined)
    expect(codes).toContain('OPERATION_STATE')
    expect(codeOf(await call(server, again))).toBe('OPERATION_STATE')
    expect(server.effects).toEqual(['9000'])
  })

  it('cannot be answered twice, a no first and a yes then', async () => {
    const { server, requestState } = await question()
    const no = { approval: { action: 'decline' } }
    expect(codeOf(await call(server, { ...big, requestState, inputResponses: no }))).toBe('APPROVAL_DENIED')
    expect(codeOf(await call(server, { ...big, requestState, inputResponses: accepted }))).toBe('APPROVAL_DENIED')
    expect(server.effects).toEqual([])
  })

  it.each<[string, (state: string) => Readonly<Record<string, unknown>>]>([
    ['a forged state', () => ({ requestState: `v1.${'A'.repeat(80)}.${'B'.repeat(43)}` })],
    ['a state with one letter changed', (state) => ({ requestState: flip(state, 30) })],
    ['a state with another signature', (state) => ({ requestState: flip(state, state.length - 5) })],
    ['other arguments', (requestState) => ({ requestState, arguments: { amount: '9001' } })],
    ['an argument more', (requestState) => ({ requestState, arguments: { amount: '9000', idempotencyKey: 'k' } })],
    ['no text at all', () => ({ requestState: '' })],
  ])('is refused with %s', async (_name, change) => {
    const { server, requestState } = await question()
    const result = await call(server, { ...big, inputResponses: accepted, ...change(requestState) })
    expect(codeOf(result)).toBe('APPROVAL_STATE_INVALID')
    expect(server.effects).toEqual([])
    const rows = await server.operations.list({ principalId: null, limit: 9 })
    expect(rows.map((row) => row.state)).toEqual(['awaiting_approval'])
  })

  it('is refused from another principal, after its time, and by a server with another key', async () => {
    const { server, requestState } = await question({ expirySeconds: 1 })
    const again = { ...big, requestState, inputResponses: accepted }
    expect(codeOf(await call(server, again, server.keys.bearer))).toBe('APPROVAL_STATE_INVALID')
    const other = await open()
    expect(codeOf(await call(other, again))).toBe('APPROVAL_STATE_INVALID')
    const states = async () => (await server.operations.list({ principalId: null, limit: 9 })).map((row) => row.state)
    await expect.poll(states).toEqual(['expired'])
    expect(codeOf(await call(server, again))).toMatch(/^(APPROVAL_STATE_INVALID|OPERATION_EXPIRED)$/)
    expect([...server.effects, ...other.effects]).toEqual([])
  })

  it.each([
    ['none', {}],
    ['a cancelled one', { approval: { action: 'cancel' } }],
    ['one under another name', { other: accepted.approval }],
    ['a yes that is text', { approval: { action: 'accept', content: { approve: 'true' } } }],
    ['a yes without a form', { approval: { action: 'accept' } }],
  ])('leaves the operation waiting when the answer is %s', async (_name, inputResponses) => {
    const { server, requestState } = await question()
    expect(codeOf(await call(server, { ...big, requestState, inputResponses }))).toBe('APPROVAL_REQUIRED')
    expect(server.effects).toEqual([])
    const rows = await server.operations.list({ principalId: null, limit: 9 })
    expect(rows.map((row) => row.state)).toEqual(['awaiting_approval'])
  })

  it('counts only while the policy lets the client approve', async () => {
    const { server, requestState } = await question()
    server.allow(['operator'])
    const result = await call(server, { ...big, requestState, inputResponses: accepted })
    expect(codeOf(result)).toBe('APPROVAL_REQUIRED')
    expect(server.effects).toEqual([])
  })
})

function flip(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
}
