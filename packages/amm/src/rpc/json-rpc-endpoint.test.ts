import { describe, expect, it, vi } from 'vitest'
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
  const limits = { timeoutMs: 60_000, slowTimeoutMs: 60_000, now: Date.now }
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
  const [asked, ended]: string[][] = [[], []]
  const node: typeof fetch = (_, init) =>
    new Promise((resolve, reject) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      const { id, method } = [JSON.parse(body) as RpcCall].flat()[0]!
      asked!.push(method)
      init?.signal?.addEventListener('abort', () => {
        ended!.push(method)
        reject(new Error('aborted'))
      })
      if (method !== 'eth_getLogs') resolve(Response.json({ jsonrpc: '2.0', id, result: method }))
    })
  const request = jsonRpcEndpoint({
    url: 'http://node.test',
    fetch: node,
    timeoutMs: 60_000,
    slowTimeoutMs: 60_000,
    now: Date.now,
  })
  const leaving = new AbortController()
  const logs = request({ method: 'eth_getLogs' }, { signal: leaving.signal })
  const call = request({ method: 'eth_call' })
  await vi.waitUntil(() => asked!.includes('eth_getLogs'))
  leaving.abort()
  await expect(logs).rejects.toMatchObject({ name: 'AbortError' })
  expect([await call, ended]).toEqual(['eth_call', ['eth_getLogs']])
  const gone = request({ method: 'eth_getLogs' }, { signal: AbortSignal.abort() })
  await expect(gone).rejects.toMatchObject({ name: 'AbortError' })
  expect(asked).toHaveLength(2)
})

it('halves a batch that is refused, keeps to what is taken, and tries twice as many half an hour later', async () => {
  const clock = { now: 0 }
  const lengths: number[] = []
  let mostCalls = 14
  const node: typeof fetch = async (_, init) => {
    const calls = JSON.parse(init?.body as string) as RpcCall | RpcCall[]
    const listed = [calls].flat()
    lengths.push(listed.length)
    if (listed.length > mostCalls) return Response.json({ error: 'too many' }, { status: 413 })
    const answers = listed.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }))
    return Response.json(Array.isArray(calls) ? answers : answers[0])
  }
  const limits = { timeoutMs: 60_000, slowTimeoutMs: 60_000, now: () => clock.now }
  const request = jsonRpcEndpoint({ url: 'http://node.test', fetch: node, ...limits })
  const ask = async (calls: number) => {
    lengths.length = 0
    const answers = await Promise.all(Array.from({ length: calls }, () => request({ method: 'eth_call' })))
    expect(answers).toEqual(Array(calls).fill('eth_call'))
    return lengths.toSorted((a, b) => b - a)
  }
  expect(await ask(50)).toEqual([50, 25, 25, ...Array(4).fill(12), 1, 1])
  expect(await ask(50)).toEqual([12, 12, 12, 12, 2])
  clock.now += 30 * 60_000
  expect(await ask(50)).toEqual([24, 24, 12, 12, 12, 12, 2])
  expect(await ask(50)).toEqual([12, 12, 12, 12, 2])
  mostCalls = 50
  clock.now += 30 * 60_000
  expect(await ask(50)).toEqual([24, 24, 2])
  clock.now += 30 * 60_000
  expect([await ask(24), await ask(50)]).toEqual([[24], [48, 2]])
})

describe('logs of the same blocks', () => {
  const [swap, mint, id] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`, `0x${'3'.repeat(64)}`]
  const filter = (address: string, topics: readonly unknown[], toBlock = '0x9') => ({
    address,
    topics,
    fromBlock: '0x1',
    toBlock,
  })
  const log = (address: string, ...topics: string[]) => ({ address, topics, data: '0x' })
  const [poolA, poolB, manager] = ['0xAa', '0xbb', '0xcc']

  async function ask(filters: readonly unknown[], answer: (filter: unknown) => unknown) {
    const sent: unknown[] = []
    const node: typeof fetch = async (_, init) => {
      const { id: number, params } = JSON.parse(init?.body as string) as { id: number; params: [unknown] }
      sent.push(params[0])
      return Response.json({ jsonrpc: '2.0', id: number, ...(answer(params[0]) as object) })
    }
    const request = jsonRpcEndpoint({
      url: 'http://node.test',
      fetch: node,
      timeoutMs: 60_000,
      slowTimeoutMs: 60_000,
      now: Date.now,
    })
    const asked = filters.map((one) => request({ method: 'eth_getLogs', params: [one] }))
    return { sent, found: await Promise.all(asked) }
  }

  it('travel as one request where one filter finds them, and each gets its own', async () => {
    const all = [log('0xaa', swap), log('0xbb', mint), log('0xaa', mint, id)]
    const filters = [filter(poolA, [[swap, mint]]), filter(poolB, [mint]), filter(poolA, [swap])]
    const { sent, found } = await ask(filters, () => ({ result: all }))
    expect(sent).toEqual([filter(['0xaa', '0xbb'] as never, [[swap, mint]])])
    expect(found).toEqual([[all[0], all[2]], [all[1]], [all[0]]])
  })

  it('of one contract are told apart by what they are about; of others they stay apart', async () => {
    const all = [log(manager, swap, id), log(manager, swap, mint)]
    const filters = [filter(manager, [swap, id]), filter(manager, [swap, mint]), filter(poolA, [swap, id])]
    const { sent, found } = await ask(filters, (asked) => ({
      result: (asked as { topics: unknown[] }).topics[1] === id ? [] : all,
    }))
    expect(sent).toEqual([filter([manager] as never, [[swap], [id, mint]]), filters[2]])
    expect(found).toEqual([[all[0]], [all[1]], []])
  })

  it('of other blocks, or with a filter of another form, travel alone', async () => {
    const filters = [
      filter(poolA, [swap]),
      filter(poolB, [swap], '0x8'),
      { address: [poolA], topics: [swap], fromBlock: '0x1', toBlock: '0x9' },
    ]
    const { sent } = await ask(filters, () => ({ result: [] }))
    expect(sent).toEqual(filters)
  })

  it('are asked for alone where the endpoint refuses them together', async () => {
    const filters = [filter(poolA, [swap]), filter(poolB, [swap])]
    const { sent, found } = await ask(filters, (asked) =>
      Array.isArray((asked as { address: unknown }).address)
        ? { error: { code: -32_005, message: 'too many results' } }
        : { result: [log((asked as { address: string }).address, swap)] },
    )
    expect(sent).toHaveLength(3)
    expect(found).toEqual([[log(poolA, swap)], [log(poolB, swap)]])
  })

  it('that nobody asked for stay with everyone, to be refused', async () => {
    const strange = log('0xdd', swap)
    const { found } = await ask([filter(poolA, [swap]), filter(poolB, [swap])], () => ({ result: [strange] }))
    expect(found).toEqual([[strange], [strange]])
  })
})
