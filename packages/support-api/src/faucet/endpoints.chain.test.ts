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
