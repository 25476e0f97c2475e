import { expect, it } from 'vitest'
import { yieldToEventLoop } from '@svc/runtime'
import { jsonRpcEndpoint } from './json-rpc-endpoint.ts'
import type { RpcCall } from './post-json-rpc.ts'

/** An endpoint whose node answers each call with its method, `bytes` of it where that is asked for. */
function openEndpoint() {
  const exchanges: string[][] = []
  const answer = ({ id, method, params }: RpcCall) => {
    const bytes = Array.isArray(params) ? Number(params[0]) : 0
    return { jsonrpc: '2.0', id, result: method.padEnd(bytes, '.') }
  }
  const node: typeof fetch = async (url, init) => {
    const body: RpcCall | RpcCall[] = JSON.parse(await new Request(url, init).text())
    exchanges.push([body].flat().map(({ method }) => method))
    return Response.json(Array.isArray(body) ? body.map(answer) : answer(body))
  }
  const limits = { timeoutMs: 60_000, slowTimeoutMs: 60_000 }
  return { exchanges, request: jsonRpcEndpoint({ url: 'http://node.test', fetch: node, ...limits }) }
}

it('sends requests for logs alone, so that their answers cannot fail the reads of others', async () => {
  const { exchanges, request } = openEndpoint()
  const methods = ['eth_getLogs', 'eth_call', 'eth_getLogs', 'eth_getBalance']
  expect(await Promise.all(methods.map((method) => request({ method })))).toEqual(methods)
  const sent = exchanges.map((one) => one.join()).toSorted()
  expect(sent).toEqual(['eth_call,eth_getBalance', 'eth_getLogs', 'eth_getLogs'])
})

it('asks in one batch for what callers want who go on in a turn each', async () => {
  const { exchanges, request } = openEndpoint()
  await Promise.all(
    ['eth_call', 'eth_chainId', 'eth_getBalance'].map((method) => yieldToEventLoop().then(() => request({ method }))),
  )
  expect(exchanges).toEqual([['eth_call', 'eth_chainId', 'eth_getBalance']])
})

it('asks call by call when answers are too long together, and in batches again after it', async () => {
  const { exchanges, request } = openEndpoint()
  const long = { method: 'eth_call', params: [6 * 1024 * 1024] }
  const answers = await Promise.all([request(long), request(long), request(long), request({ method: 'eth_chainId' })])
  expect(answers.map((answer) => String(answer).length)).toEqual([6_291_456, 6_291_456, 6_291_456, 11])
  expect(exchanges).toHaveLength(5)
  await Promise.all([request({ method: 'eth_call' }), request({ method: 'eth_chainId' })])
  expect(exchanges.at(-1)).toEqual(['eth_call', 'eth_chainId'])
})

it('fails the one call whose answer alone is too long', async () => {
  const { request } = openEndpoint()
  const [tooLong, short] = await Promise.allSettled([
    request({ method: 'eth_call', params: [17 * 1024 * 1024] }),
    request({ method: 'eth_call' }),
  ])
  expect(tooLong).toMatchObject({ reason: { message: expect.stringContaining('16 MiB') } })
  expect(short).toMatchObject({ value: 'eth_call' })
})

it('ends a request for logs with its caller, and no read of others', async () => {
  const ended: string[] = []
  const node: typeof fetch = (_, init) =>
    new Promise((resolve, reject) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      const { id, method } = [JSON.parse(body) as RpcCall].flat()[0]!
      init?.signal?.addEventListener('abort', () => {
        ended.push(method)
        reject(new Error('aborted'))
      })
      if (method !== 'eth_getLogs') resolve(Response.json({ jsonrpc: '2.0', id, result: method }))
    })
  const request = jsonRpcEndpoint({ url: 'http://node.test', fetch: node, timeoutMs: 60_000, slowTimeoutMs: 60_000 })
  const leaving = new AbortController()
  const logs = request({ method: 'eth_getLogs' }, { signal: leaving.signal })
  const call = request({ method: 'eth_call' })
  leaving.abort()
  await expect(logs).rejects.toMatchObject({ name: 'AbortError' })
  expect([await call, ended]).toEqual(['eth_call', ['eth_getLogs']])
})
