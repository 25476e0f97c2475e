import { createServer, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { getAgent } from './agent/lookup/read-agents.ts'
import { registerAgent } from './agent/register-agent.ts'
import { ServiceWallet } from './service-wallet.ts'

const identity = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

test.each<[string, RequestListener, string]>([
  ['an endpoint that refuses', (_request, response) => response.writeHead(403).end('key-of-mine'), 'HTTP status 403'],
  [
    'an endpoint that answers with an error',
    (request, response) => {
      const error = { code: -32_001, message: 'no access \u202e for key-of-mine' }
      const answer = async () => {
        const asked: unknown = JSON.parse(await text(request))
        const each = (one: unknown) => ({ jsonrpc: '2.0', id: Reflect.get(Object(one), 'id'), error })
        response.end(JSON.stringify(Array.isArray(asked) ? asked.map(each) : each(asked)))
      }
      answer().catch(() => response.destroy())
    },
    'JSON-RPC error -32001',
  ],
  ['an endpoint that hangs up', (request) => request.destroy(), 'UND_ERR_SOCKET'],
])('%s is named with its host and the reason, and nothing else', async (_what, answer, reason) => {
  const host = await serve(answer)
  const error = await failureAt(`http://user:password@${host}/v2/key-of-mine?token=key-of-mine`)
  expect(error).toMatchObject({ code: 'RPC_UNAVAILABLE', details: { host, reason } })
  expect(String(error)).toBe(`WalletError: The endpoint of chain 31337 gives no usable answer (${host}: ${reason}).`)
  expect(JSON.stringify(error)).not.toMatch(/key-of-mine|password/)
  const isAnswer = reason.startsWith('JSON-RPC')
  const suggestion = expect.stringMatching(isAnswer ? /^Read refusal in details/ : /^Try again/)
  expect(error).toMatchObject({ suggestion, details: isAnswer ? { refusal: 'no access   for [secret]' } : {} })
})

test('where nobody listens is named likewise, by a registration as well', async () => {
  const host = await serve(() => undefined)
  await Promise.all(closers.splice(0).map((close) => close()))
  const rpcUrls = { 31337: `http://${host}/key-of-mine` }
  expect(String(await failureAt(rpcUrls[31337]))).toContain(`(${host}: ECONNREFUSED).`)
  const wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  const options = { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline', registry: { identity }, env: {} } as const
  await expect(registerAgent(wallet, options)).rejects.toThrow(`(${host}: ECONNREFUSED).`)
})

test('a port that is never asked is named as the reason', async () => {
  const error = await failureAt('http://127.0.0.1:6000')
  expect(error).toMatchObject({ details: { host: '127.0.0.1:6000', reason: 'a port that fetch does not ask' } })
})

function failureAt(url: string): Promise<unknown> {
  return getAgent({ agentId: '31337:0', registry: { identity }, rpcUrls: { 31337: url } }).then(
    () => expect.fail('It answered.'),
    (error: unknown) => error,
  )
}

/** Answers on 127.0.0.1 until the test ends; gives host and port. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
