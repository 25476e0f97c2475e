import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { BaseError, HttpRequestError, RpcRequestError, stringify, UnknownRpcError } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findAgents, getAgent } from './agent/lookup/read-agents.ts'
import { registerAgent, updateAgent } from './agent/register-agent.ts'
import { createEIP1193Provider } from './provider/create-eip1193-provider.ts'
import { ServiceWallet } from './service-wallet.ts'
import { toCause, WalletError } from './wallet-error.ts'
import { revokeDelegation } from './user-operation/revoke-delegation.ts'

const [rpcKey, bundlerKey, paymasterKey] = ['CANARY-of-the-rpc', 'CANARY-of-the-bundler', 'CANARY-of-the-paymaster']

let server: Server
let origin: string
/** Answers each request of a batch, or the batch as a whole; `null` breaks the connection off. */
let answer: (method: string, url: string) => Answer
type Answer = null | { readonly status: number; readonly body: string } | RpcAnswer
type RpcAnswer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const asked: unknown = JSON.parse(Buffer.concat(chunks).toString())
      const each = [asked].flat() as readonly { readonly id: number; readonly method: string }[]
      const answered = each.map(({ id, method }) => ({ jsonrpc: '2.0', id, ...answer(method, request.url ?? '') }))
      const [first] = each.map(({ method }) => answer(method, request.url ?? ''))
      if (first === undefined || first === null) return request.socket.destroy()
      if ('body' in first) return response.writeHead(first.status).end(first.body)
      return response.end(JSON.stringify(Array.isArray(asked) ? answered : answered[0]))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const saysError = (_method: string, url: string) => {
  const message = `forbidden: ${origin}${url} ${url.split('/').at(-1)}\u001B[2J`
  return { error: { code: -32_000, message } }
}
const saying =
  (results: Readonly<Record<string, unknown>>): typeof answer =>
  (method, url) =>
    Object.hasOwn(results, method) ? { result: results[method] } : saysError(method, url)

const codes = { eth_chainId: '0x2105', eth_getCode: '0xef01004cd241e8d1510e30b2076397afc7508ae59c66c9' }
const prices = {
  eth_getBlockByNumber: { number: '0x1', timestamp: '0x1', baseFeePerGas: '0x1', transactions: [] },
  eth_maxPriorityFeePerGas: '0x1',
  eth_getTransactionCount: '0x0',
  eth_getBalance: '0x0',
  eth_estimateGas: '0x5208',
  eth_call: `0x${'0'.repeat(64)}`,
}

describe.each<[string, typeof answer]>([
  ['breaks off', () => null],
  ['refuses in HTTP', (_method, url) => ({ status: 403, body: JSON.stringify(`no such key: ${url}`) })],
  ['answers no JSON', (_method, url) => ({ status: 200, body: `<html>${url}</html>` })],
  ['refuses in JSON-RPC', saysError],
  ['knows its chain alone', saying({ eth_chainId: '0x2105' })],
  ['knows its chain and what code stands there', saying(codes)],
  ['knows what gas costs', saying({ ...codes, ...prices })],
])('neither errors nor results show the key of an endpoint that %s:', (_how, answers) => {
  test.each(Object.keys(calls()))('%s', async (name) => {
    answer = answers
    expectNoKey(await outcomeOf(name))
  })
})

function calls(): Readonly<Record<string, () => Promise<unknown>>> {
  const wallet = () =>
    new ServiceWallet({
      mode: 'local',
      privateKey: generatePrivateKey(),
      chainId: 8453,
      rpcUrls: { 8453: `${origin}/v2/${rpcKey}` },
    })
  const owner = '0x00000000000000000000000000000000000000aa'
  const card = { name: 'Ada', role: 'vault_manager', mcpEndpoint: 'https://a.example/mcp', env: {} } as const
  const sponsored = { bundlerUrl: `${origin}/${bundlerKey}`, paymasterUrl: `${origin}/${paymasterKey}` }
  const gas = { ...sponsored, manualWaitMs: 0 }
  const provider = (method: string, ...params: unknown[]) => createEIP1193Provider(wallet()).request({ method, params })
  return {
    registerAgent: () => registerAgent(wallet(), { ...card, ipfsMode: 'inline', gas }),
    updateAgent: () => updateAgent(wallet(), { ...card, agentId: '8453:1', ipfsMode: 'inline', gas }),
    getAgent: () => getAgent({ agentId: '8453:1', rpcUrls: { 8453: `${origin}/v2/${rpcKey}` } }),
    findAgents: () => findAgents({ owner, chainId: 8453, rpcUrls: { 8453: `${origin}/v2/${rpcKey}` } }),
    revokeDelegation: () => revokeDelegation(wallet()),
    sendUserOp: () =>
      wallet().sendUserOp({
        target: owner,
        data: '0x',
        bundlerUrl: sponsored.bundlerUrl,
        paymaster: sponsored.paymasterUrl,
        env: {},
      }),
    eth_call: () => provider('eth_call', { to: owner, data: '0x' }, 'latest'),
    eth_gasPrice: () => provider('eth_gasPrice'),
    eth_sendTransaction: () => provider('eth_sendTransaction', { to: owner, value: '0x1' }),
  }
}

test('a foreign client reads what the node said, in one bounded line', async () => {
  answer = () => {
    const message = `${'x'.repeat(10)}\u001B[2J\n\u202Ey ${'z'.repeat(100_000)}`
    return { error: { code: -32_601, message } }
  }
  const error = await outcomeOf('eth_gasPrice')
  expect(error).toMatchObject({ code: -32_601, message: expect.stringMatching(/^x{10} \[2J y z{100,300}$/) })
})

test('a cause keeps name, code, revert data and sentences, down the chain', () => {
  const url = `https://u:PASSWORD-CANARY@a.example/v2/${rpcKey}?key=QUERY-CANARY`
  const request = new RpcRequestError({
    body: { method: 'eth_call', params: ['BODY-CANARY'] },
    error: { code: 3, data: '0x08c379a0', message: `execution reverted: no QUERY-CANARY` },
    url,
  })
  const cause = toCause(new BaseError('The contract refused.', { cause: new UnknownRpcError(request) }))
  expect(cause).toMatchObject({
    name: 'BaseError',
    message: 'The contract refused.',
    details: 'execution reverted: no [secret]',
    cause: { name: 'UnknownRpcError', cause: { name: 'RpcRequestError', code: 3, data: '0x08c379a0' } },
  })
  expectNoKey(cause)
  expectNoKey(new WalletError('ABORTED', 'x', { cause: new Error('outer', { cause: request }) }))
  expectNoKey(toCause(new HttpRequestError({ url, cause: new TypeError(`fetch failed: ${url}`) })))
})

test('a cause that no client of JSON-RPC made stays as it is', () => {
  const cause = new Error('The disk is full.')
  expect(new WalletError('JOURNAL_UNREADABLE', 'x', { cause, details: { path: 'journal' } }).cause).toBe(cause)
})

async function outcomeOf(name: string): Promise<unknown> {
  const call = calls()[name]
  return call?.().catch((thrown: unknown) => thrown)
}

function expectNoKey(outcome: unknown): void {
  const shown = [inspect(outcome, { depth: 20, showHidden: true }), stringify(outcome)]
  for (let each = outcome; each instanceof Error; each = each.cause) shown.push(each.message, String(each.stack))
  expect(shown.join('\n')).not.toContain('CANARY')
}
