import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { chains, findChain } from '@svc/wallet/core'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRpcPool } from './create-rpc-pool.ts'

const base = findChain(chains, 'base')!
const header = `Basic ${Buffer.from('reader:p@ss:wörd').toString('base64')}`
const block = { number: '0x64', timestamp: '0x6b49d200', hash: `0x${'ab'.repeat(32)}` }
const results: Readonly<Record<string, unknown>> = {
  eth_chainId: numberToHex(base.id),
  eth_getBlockByNumber: block,
  eth_getBalance: '0x7',
  eth_call: `0x${'0'.repeat(64)}`,
}

/** A node that answers nobody without the header, and repeats the one that was wrong. */
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { authorization = 'none' } = request.headers
    if (authorization !== header) return response.writeHead(401).end(`no access with ${authorization}`)
    type Call = { readonly id: number; readonly method: string }
    const asked: Call | readonly Call[] = JSON.parse(body)
    const answer = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: results[method] })
    return response.end(JSON.stringify('id' in asked ? answer(asked) : asked.map(answer)))
  })
})
let port: number
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const poolOver = (credentials: string, place = `127.0.0.1:${port}`) =>
  createRpcPool({ urls: () => [`http://${credentials}@${place}/v2`], now: () => 1_800_000_000_000, retryPauseMs: 1 })

it('a user and password in the URL of an endpoint travel in a header', async () => {
  const pool = poolOver('reader:p%40ss%3Aw%C3%B6rd')
  expect(await pool.head(base)).toMatchObject({ number: 100n })
  expect(await pool.client(base).getBalance({ address: base.multicall3 })).toBe(7n)
  expect(await pool.probe(base)).toMatchObject({ healthy: true })
})

it.each([
  ['refuses them', () => poolOver('reader:canary-word'), 'RPC_REFUSED'],
  ['is not there', () => poolOver('reader:canary-word', '127.0.0.1:1'), 'RPC_UNAVAILABLE'],
])('an endpoint that %s is told of without them', async (_what, open, code) => {
  const pool = open()
  // One after the other: one that fails while another is awaited would be caught by nobody.
  for (const ask of [() => pool.head(base), () => pool.client(base).getBalance({ address: base.multicall3 })]) {
    const error: unknown = await ask().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code,
      details: [{ field: 'chain', accepted: expect.stringContaining('SVC_RPC_URL') }],
    })
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/canary|cmVhZGVy/)
  }
  expect(JSON.stringify(await pool.probe(base))).not.toMatch(/canary|cmVhZGVy/)
})
