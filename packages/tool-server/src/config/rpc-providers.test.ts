import { chains } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { secretsOf } from './secrets.ts'
import { rpcProviders } from './rpc-providers.ts'

const nowhere = { SVC_DATA_DIR: '/nowhere/at/all' }
const key = 'a-key-of-the-operator'
const urlsOf = (config: ReturnType<typeof readConfig>, id: number) =>
  config.rpc.urls.get(id)?.map((url) => url.reveal())

it.each(Object.keys(rpcProviders))(
  '%s has an address for each chain of its own that this server has, with the key in it',
  (name) => {
    const config = readConfig({ ...nowhere, SVC_RPC_PROVIDER: name, RPC_API_KEY: key })
    const ids = Object.keys(rpcProviders[name as keyof typeof rpcProviders].networks).map(Number)
    expect(ids.filter((id) => !chains.some((chain) => chain.id === id))).toEqual([])
    const urls = ids.flatMap((id) => urlsOf(config, id) ?? [])
    expect(new Set(urls).size).toBe(ids.length)
    for (const url of urls) {
      expect([new URL(url).protocol, url.includes(key), /[{}]/.test(url)]).toEqual(['https:', true, false])
      expect(secretsOf(config)).toContain(url)
    }
  },
)

it('a chain with an endpoint of its own keeps it, and others ask the provider', () => {
  const own = { SVC_RPC_URL_8453: 'https://own.example/v1' }
  const config = readConfig({ ...nowhere, ...own, SVC_RPC_PROVIDER: 'alchemy', RPC_API_KEY: key })
  expect(urlsOf(config, 8453)).toEqual(['https://own.example/v1'])
  expect(urlsOf(config, 1)).toEqual([`https://eth-mainnet.g.alchemy.com/v2/${key}`])
})

it('wants a key beside a name, and knows no other names', () => {
  expect(() => readConfig({ ...nowhere, SVC_RPC_PROVIDER: 'infura' })).toThrow(
    /RPC_API_KEY.*SVC_RPC_PROVIDER=infura needs it/,
  )
  expect(() => readConfig({ ...nowhere, SVC_RPC_PROVIDER: 'someone', RPC_API_KEY: key })).toThrow(
    /alchemy, ankr, drpc, infura/,
  )
})
