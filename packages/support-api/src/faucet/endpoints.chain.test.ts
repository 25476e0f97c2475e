import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { otherChain, startFaultProxy, useDevnet, type FaultProxy } from '@svc/devnet/testing'
import { afterEach, expect, test } from 'vitest'
import { openEndpoints } from './endpoints.ts'

const devnet = useDevnet()
const proxies: FaultProxy[] = []
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()))
})

test('an endpoint of another chain is passed over, named in the log without its path, and taken back', async () => {
  const { proxy, open } = await start()
  const { client, isWrongChain, logged, pass } = open([`${proxy.url}/key`, devnet().rpcUrl])
  expect(await client.getChainId()).toBe(31337)
  expect(await client.getBlockNumber()).toBeTypeOf('bigint')
  const host = new URL(proxy.url).host
  expect(logged).toEqual([{ chainId: 31337, says: 1, endpoint: 1, host }])
  expect(isWrongChain()).toBe(false)
  proxy.setRules([])
  pass(10_000)
  const before = proxy.methods().get('eth_blockNumber') ?? 0
  await client.getBlockNumber()
  expect(proxy.methods().get('eth_blockNumber')).toBe(before + 1)
})

test('where every endpoint speaks for another chain nothing is answered, however late it begins to', async () => {
  const { proxy, open } = await start()
  proxy.setRules([])
  const { client, isWrongChain, pass } = open([proxy.url])
  await client.getBlockNumber()
  expect(isWrongChain()).toBe(false)
  proxy.setRules([{ fault: otherChain(1) }])
  pass(10_000)
  await expect(client.getBlockNumber()).rejects.toThrow('does not speak for chain 31337')
  expect(isWrongChain()).toBe(true)
})

test('no endpoint is asked more than ten things at once', async () => {
  const sizes: number[] = []
  const server = createServer((request, response) => {
    const answer = (body: unknown): void => {
      const calls = [body].flat() as { id: number; method: string }[]
      sizes.push(calls.length)
      const answers = calls.map(({ id, method }) => ({ id, result: method === 'eth_chainId' ? '0x7a69' : '0x1' }))
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
    }
    void json(request).then(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { open } = await start()
  const { client } = open([`http://127.0.0.1:${(server.address() as AddressInfo).port}`])
  const { address } = devnet().accounts[0]!
  await Promise.all(Array.from({ length: 35 }, () => client.getTransactionCount({ address })))
  expect(Math.max(...sizes)).toBe(10)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function start() {
  const proxy = await startFaultProxy({ target: devnet().rpcUrl, rules: [{ fault: otherChain(1) }] })
  proxies.push(proxy)
  return {
    proxy,
    open: (rpcUrls: readonly string[]) => {
      let clock = 0
      const logged: unknown[] = []
      const quiet = () => {}
      const error = (_: string, facts?: object) => void logged.push(facts)
      const log = { debug: quiet, info: quiet, warn: quiet, error }
      const endpoints = openEndpoints({ chainId: 31337, rpcUrls, log, now: () => clock })
      return { ...endpoints, logged, pass: (ms: number) => void (clock += ms) }
    },
  }
}
