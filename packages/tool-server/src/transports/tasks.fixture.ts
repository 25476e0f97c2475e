import { request } from 'node:http'
import { openStore } from '@svc/store'
import { afterEach, expect } from 'vitest'
import { rawRequest, type RawAnswer } from '../raw-http.fixture.ts'
import { failing, move, openTestServer, slow, testTools, type TestServer } from '../test-server.fixture.ts'
import type { Tool } from '../tool.ts'
import { openAskingPipeline } from './asking.fixture.ts'
import { statelessRevision, tasksExtension } from './protocol-facts.ts'

export const prefix = 'io.modelcontextprotocol/'
export const long = (tool: Tool): Tool => ({ ...tool, runsLong: true })
export const asTasks = { extensions: { [tasksExtension]: {} } }
export const withForms = { ...asTasks, elicitation: { form: {} } }

export const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

/** The small tools, all but `get_echo` and `move_funds` of the kind that runs long. */
export async function openReads() {
  const store = await openStore({ path: ':memory:', now: Date.now })
  const tools = testTools.map((tool) => (tool === slow || tool === failing ? long(tool) : tool))
  const server = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, tools, tasks: store.tasks })
  opened.push(store, server.server)
  return { ...server, store }
}

export async function openWrites({
  isLong = false,
  ...asking
}: { isLong?: boolean; channels?: ('operator' | 'client')[]; expirySeconds?: number } = {}): Promise<
  TestServer & Awaited<ReturnType<typeof openAskingPipeline>>
> {
  const pipeline = await openAskingPipeline(asking)
  const tools = [isLong ? long(move) : move]
  const server = await openTestServer({
    env: { SVC_MCP_PROFILE: 'full' },
    tools,
    write: pipeline.write,
    tasks: pipeline.tasks,
  })
  opened.push(server.server)
  return { ...server, ...pipeline }
}

export type Asked = {
  readonly can?: object
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function ask(
  { port, keys }: TestServer,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { can = asTasks, token = keys.write, headers = {} }: Asked = {},
): Promise<RawAnswer> {
  const name = params['taskId'] ?? params['name']
  const meta = { [`${prefix}protocolVersion`]: statelessRevision, [`${prefix}clientCapabilities`]: can }
  return rawRequest(port, {
    token,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    headers: {
      'mcp-protocol-version': statelessRevision,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
  })
}

export const resultOf = ({ json }: RawAnswer) => (json as { readonly result: Readonly<Record<string, unknown>> }).result

export async function call(server: TestServer, name: string, input: object, asked?: Asked) {
  return resultOf(await ask(server, 'tools/call', { name, arguments: input }, asked))
}

export async function begin(server: TestServer, name: string, input: object, asked?: Asked): Promise<string> {
  const { resultType, taskId } = await call(server, name, input, asked)
  expect(resultType).toBe('task')
  return String(taskId)
}

export const get = async (server: TestServer, taskId: string, asked?: Asked) =>
  resultOf(await ask(server, 'tasks/get', { taskId }, asked))

export async function until(server: TestServer, taskId: string, status: string, asked?: Asked): Promise<void> {
  await expect.poll(() => get(server, taskId, asked), { interval: 20 }).toMatchObject({ status })
}

export type Notification = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }

/** Opens a stream for tasks and gives what has come over it so far. */
export async function listen({ port, keys }: TestServer, taskIds: readonly string[]): Promise<readonly Notification[]> {
  const heard: Notification[] = []
  const meta = { [`${prefix}protocolVersion`]: statelessRevision, [`${prefix}clientCapabilities`]: asTasks }
  const method = 'subscriptions/listen'
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${keys.write}`,
    'mcp-protocol-version': statelessRevision,
    'mcp-method': method,
  }
  const outgoing = request(
    { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers, agent: false },
    (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
          if (data !== undefined) heard.push(JSON.parse(data) as Notification)
          text = text.slice(end + 2)
        }
      })
      incoming.on('error', () => {})
    },
  )
  outgoing.on('error', () => {})
  outgoing.end(
    JSON.stringify({ jsonrpc: '2.0', id: 'own', method, params: { notifications: { taskIds }, _meta: meta } }),
  )
  opened.push({ close: async () => void outgoing.destroy() })
  return heard
}
