import { request } from 'node:http'
import { openStore } from '@svc/store'
import { expect, it } from 'vitest'
import { rawRequest } from '../raw-http.fixture.ts'
import { openTestServer, slow } from '../test-server.fixture.ts'
import { statelessRevision, tasksExtension } from './protocol-facts.ts'

const prefix = 'io.modelcontextprotocol/'
const meta = {
  [`${prefix}protocolVersion`]: statelessRevision,
  [`${prefix}clientCapabilities`]: { extensions: { [tasksExtension]: {} } },
}

it('a stream tells of no task of another caller, by whatever address it is subscribed to', async () => {
  const store = await openStore({ path: ':memory:', now: Date.now })
  const tools = [{ ...slow, runsLong: true }]
  const { server, port, keys } = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, tools, tasks: store.tasks })
  const headersOf = (method: string, token: string, name?: string) => ({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': statelessRevision,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  })
  const bodyOf = (method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } })
  const ask = (method: string, token: string, name: string, params: object) =>
    rawRequest(port, { body: bodyOf(method, params), headers: headersOf(method, token, name) })
  const begin = async (token: string) => {
    const { json } = await ask('tools/call', token, 'get_slow', { name: 'get_slow', arguments: { ms: 60_000 } })
    return (json as { readonly result: { readonly taskId: string } }).result.taskId
  }
  const [victims, own] = [await begin(keys.write), await begin(keys.read)]

  let heard = ''
  const uris = [`svc-task:${victims}`, victims, `svc-task::${victims}`]
  const method = 'subscriptions/listen'
  const listening = [
    { taskIds: [own, victims], resourceSubscriptions: uris },
    { taskIds: [], resourceSubscriptions: [...uris, `svc-task:${own}`] },
    { resourceSubscriptions: uris },
  ].map((notifications) => {
    const outgoing = request(
      { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: headersOf(method, keys.read), agent: false },
      (incoming) => void incoming.setEncoding('utf8').on('data', (part: string) => void (heard += part)),
    )
    outgoing.on('error', () => {}).end(bodyOf(method, { notifications }))
    return outgoing
  })
  await expect.poll(() => heard.match(/acknowledged/g)).toHaveLength(3)
  await ask('tasks/cancel', keys.write, victims, { taskId: victims })
  await ask('tasks/cancel', keys.read, own, { taskId: own })
  // What came of the other is before it.
  await expect.poll(() => heard).toMatch(/"cancelled"/)
  const told = heard.split('\n').filter((line) => line.startsWith('data: ') && !line.includes('acknowledged'))
  expect(told.filter((line) => line.includes(victims))).toEqual([])
  for (const one of listening) one.destroy()
  await server.close()
  await store.close()
})
