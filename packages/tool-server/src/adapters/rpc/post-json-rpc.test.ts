import { expect, test } from 'vitest'
import { postJsonRpc } from './post-json-rpc.ts'

const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] } as const

test.each([
  [401, 'text/html; charset=utf-8', 'status 401 (text/html)'],
  [429, 'application/json', 'status 429 (application/json)'],
  [502, 'canary-key', 'status 502 (no type)'],
])('an answer of status %i that is no JSON-RPC tells nothing of its body', async (status, type, message) => {
  const body = 'no project canary-key'
  const answer = async () => new Response(body, { status, headers: { 'content-type': type } })
  const options = { url: 'http://rpc.example/canary-key', fetch: answer, timeoutMs: 1_000 }
  await expect(postJsonRpc(options, [call])).rejects.toMatchObject({ name: 'EndpointError', message })
  await expect(postJsonRpc(options, [call, { ...call, id: 2 }])).rejects.toMatchObject({ message })
})
