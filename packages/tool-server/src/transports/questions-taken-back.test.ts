import { afterEach, describe, expect, it } from 'vitest'
import { rawRequest } from '../raw-http.fixture.ts'
import { openTestServer } from '../test-server.fixture.ts'
import { openAskingPipeline } from './asking.fixture.ts'
import { answers, openSocket } from './web-socket.fixture.ts'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

const handshake = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'asked', version: '1' },
  },
}
const begun = { jsonrpc: '2.0', method: 'notifications/initialized' }
const call = {
  jsonrpc: '2.0',
  id: 'call',
  method: 'tools/call',
  params: { name: 'move_funds', arguments: { amount: '9000' } },
}
const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } }

type Message = { readonly id?: unknown; readonly method?: string; readonly params?: { readonly requestId?: unknown } }
type Asked = {
  /** What has come over the call's own stream. */
  readonly heard: readonly Message[]
  readonly say: (message: object) => Promise<unknown>
  /** Resolves with the answer. */
  readonly ask: (request: { readonly id: string; readonly [member: string]: unknown }) => Promise<unknown>
  readonly leave: () => void
}
type Server = Awaited<ReturnType<typeof open>>

async function open() {
  const pipeline = await openAskingPipeline()
  const env = { SVC_MCP_PROFILE: 'full', SVC_WEBSOCKET: 'on' }
  const server = await openTestServer({ env, write: pipeline.write })
  opened.push(server.server)
  return { ...pipeline, ...server }
}

/** The call of a session whose client shows forms, by hand, as far as the question. */
const ways: Readonly<Record<string, (server: Server) => Promise<Asked>>> = {
  async HTTP({ port, url, keys: { write: token } }) {
    const first = await rawRequest(port, { token, body: JSON.stringify(handshake) })
    const headers = { 'mcp-session-id': String(first.headers['mcp-session-id']) }
    const say = (message: object) => rawRequest(port, { token, headers, body: JSON.stringify(message) })
    await say(begun)
    const leaving = new AbortController()
    const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(call),
      headers: { ...headers, ...accept, authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    const heard: Message[] = []
    const reading = async () => {
      let text = ''
      for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += part
        const events = text.split('\n\n')
        text = events.pop() ?? ''
        heard.push(...events.flatMap((event) => messageIn(event)))
      }
    }
    reading().catch(() => {})
    return { heard, say, ask: async (request) => (await say(request)).json, leave: () => leaving.abort() }
  },
  async WebSocket({ port, keys }) {
    const { socket, heard, until } = await openSocket(port, keys.write)
    const say = async (message: object) => socket.send(JSON.stringify(message))
    for (const message of [handshake, begun, call]) await say(message)
    const ask: Asked['ask'] = async (request) => {
      await say(request)
      return until(answers(request.id))
    }
    return { heard: heard as readonly Message[], say, ask, leave: () => socket.terminate() }
  },
}

function messageIn(event: string): readonly Message[] {
  const [, data] = /^data: (.+)$/m.exec(event) ?? []
  return data === undefined ? [] : [JSON.parse(data) as Message]
}

const endings: Readonly<Record<string, (asked: Asked) => unknown>> = {
  'its call is cancelled': ({ say }) => say(cancelled),
  'its client leaves': ({ leave }) => leave(),
}
const rows = Object.keys(ways).flatMap((way) => Object.keys(endings).map((ending) => [way, ending] as const))

describe('a question to the person at a client that has no stream but that of its call', () => {
  it.each(rows)('over %s is taken back when %s, and the operation waits for somebody else', async (way, ending) => {
    const server = await open()
    const asked = await ways[way]!(server)
    const question = () => asked.heard.find(({ method }) => method === 'elicitation/create')
    await expect.poll(question).toBeDefined()
    // It is waited for, and nothing has been said of the call.
    const ended = () => server.lines.filter((line) => line.includes('"outcome"')).map((line) => JSON.parse(line))
    expect(ended()).toEqual([])
    await endings[ending]!(asked)
    await expect.poll(ended).toMatchObject([{ tool: 'move_funds', outcome: 'APPROVAL_REQUIRED' }])
    const states = async () => (await server.operations.list({ principalId: null, limit: 9 })).map(({ state }) => state)
    expect([await states(), server.effects]).toEqual([['awaiting_approval'], []])
  })

  it.each(Object.keys(ways))('over %s that was taken back is not answered any more by a late yes', async (way) => {
    const server = await open()
    const asked = await ways[way]!(server)
    const question = () => asked.heard.find(({ method }) => method === 'elicitation/create')
    await expect.poll(question).toBeDefined()
    const yes = { action: 'accept', content: { approve: true } }
    // Directly behind it: the call may not have ended yet.
    await asked.say(cancelled)
    await asked.say({ jsonrpc: '2.0', id: question()?.id, result: yes })
    // What comes behind the yes is answered once that was heard.
    expect(await asked.ask({ jsonrpc: '2.0', id: 'next', method: 'ping' })).toMatchObject({ id: 'next', result: {} })
    const ended = () => server.lines.filter((line) => line.includes('"outcome"')).map((line) => JSON.parse(line))
    await expect.poll(ended).toMatchObject([{ tool: 'move_funds', outcome: 'APPROVAL_REQUIRED' }])
    const rows = await server.operations.list({ principalId: null, limit: 9 })
    expect([rows.map(({ state }) => state), server.effects]).toEqual([['awaiting_approval'], []])
    expect(asked.heard.filter(({ id }) => id === 'call')).toEqual([])
  })

  it('is dismissed at the client as well, where it still hears', async () => {
    const server = await open()
    const asked = await ways['WebSocket']!(server)
    const question = () => asked.heard.find(({ method }) => method === 'elicitation/create')
    await expect.poll(question).toBeDefined()
    await asked.say(cancelled)
    const dismissed = () => asked.heard.find(({ method }) => method === 'notifications/cancelled')?.params?.requestId
    await expect.poll(dismissed).toBe(question()?.id)
  })
})
