import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fetchJson } from './fetch-json.ts'

/** What a post to a server that answers so comes to. */
async function answerOf(listener: RequestListener, limits: { timeoutMs?: number; mostBytes?: number } = {}) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return fetchJson(
    { url, headers: { authorization: 'k' }, fetch, timeoutMs: 60_000, mostBytes: 1_000, mostValues: 100, ...limits },
    '[1]',
  )
}

test('says what was answered, whatever the status, and of the type no more than its name', async () => {
  const asked: unknown[] = []
  const answer = await answerOf((request, response) => {
    asked.push([request.method, request.headers['content-type'], request.headers.authorization])
    request.pipe(response.writeHead(503, { 'content-type': 'application/json; charset=utf-8' }))
  })
  expect(answer).toEqual({ status: 503, type: 'application/json', body: [1] })
  expect(asked).toEqual([['POST', 'application/json', 'k']])
})

test('without content asks with GET and sends nothing', async () => {
  const asked: unknown[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push([url, init?.method, init?.body, init?.redirect, new Headers(init?.headers).get('content-type')])
    return Response.json([1])
  }
  const url = 'http://rewards.example/v4'
  expect(await fetchJson({ url, fetch, timeoutMs: 60_000, mostBytes: 1_000, mostValues: 100 })).toMatchObject({
    body: [1],
  })
  expect(asked).toEqual([[url, 'GET', undefined, 'error', null]])
})

test('of what is no JSON gives no body', async () => {
  expect(await answerOf((_, response) => response.end('<html>'))).toEqual({
    status: 200,
    type: 'no type',
    body: undefined,
  })
})

test.each<[string, RequestListener]>([
  ['timeout', () => {}],
  ['timeout', (_, response) => response.write('{"half":')],
  ['too long', (_, response) => response.write(' '.repeat(2_000))],
  ['too many values', (_, response) => response.end(`[${'{},'.repeat(50)}{}]`)],
  ['too many values', (_, response) => response.end(`{"a":[${'[],'.repeat(50)}[]]}`)],
  ['unreachable', (_, response) => response.writeHead(307, { location: '/elsewhere' }).end()],
  ['unreachable', (request) => request.socket.destroy()],
])('fails with %s', async (failed, listener) => {
  const timeoutMs = failed === 'timeout' ? 50 : 60_000
  expect(await answerOf(listener, { timeoutMs })).toMatchObject({ failed })
})

test('takes a long text, and as many values as are allowed', async () => {
  const reported = ['x'.repeat(700), ...Array.from({ length: 98 }, () => 0)]
  expect(await answerOf((_, response) => response.end(JSON.stringify(reported)))).toMatchObject({ body: reported })
})

test('leaves a body that never ends at the deadline, even where the exchange itself forgets it', async () => {
  const forgetful = async () => new Response(new ReadableStream({}))
  const post = {
    url: 'http://rpc.example/',
    fetch: forgetful as typeof fetch,
    timeoutMs: 50,
    mostBytes: 1_000,
    mostValues: 100,
  }
  expect(await fetchJson(post, '[1]')).toMatchObject({ failed: 'timeout' })
})

test('of answers that come together each is looked at in a round of the event loop of its own', async () => {
  let round = 0
  const count = () => void ((round += 1), (next = setImmediate(count)))
  let next = setImmediate(count)
  const post = { url: 'http://rpc.example/', timeoutMs: 60_000, mostBytes: 1_000, mostValues: 100 }
  const rounds = await Promise.all(
    ['first', 'second', 'third'].map(async () => {
      await fetchJson({ ...post, fetch: async () => Response.json([]) }, '[1]')
      return round
    }),
  )
  clearImmediate(next)
  expect(new Set(rounds).size).toBe(3)
})
