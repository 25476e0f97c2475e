import { type Chain, Secret } from '@svc/wallet/core'
import type { Config, ConfigProblem } from './config-shape.ts'
import { isRpcProvider, providerEndpoints } from './rpc-providers.ts'
import { httpUrl, type Settings } from './schema.ts'

/** Reads the endpoints named per chain; what is malformed becomes a problem. */
export function readPerChain(env: Readonly<Record<string, string>>): PerChain {
  const problems: ConfigProblem[] = []
  const urlsOf = (prefix: string): [number, readonly Secret[]][] =>
    Object.entries(env).flatMap(([name, value]): [number, readonly Secret[]][] => {
      if (!name.startsWith(prefix)) return []
      const id = name.slice(prefix.length)
      const urls = value.split(',').map((url) => url.trim())
      const good = /^[1-9]\d{0,15}$/.test(id) && urls.every((url) => httpUrl.safeParse(url).success)
      if (!good) problems.push(malformed(name))
      return good ? [[Number(id), urls.map((url) => new Secret(url))]] : []
    })
  const single = (prefix: string) =>
    new Map(urlsOf(prefix).flatMap(([id, [url]]) => (url === undefined ? [] : [[id, url] as const])))
  return {
    rpc: new Map(urlsOf('SVC_RPC_URL_')),
    privateRpc: single('SVC_PRIVATE_RPC_URL_'),
    bundler: single('SVC_BUNDLER_URL_'),
    paymaster: single('SVC_PAYMASTER_URL_'),
    problems,
  }
}

/** The settings whose names end in a chain id. */
export type PerChain = {
  readonly rpc: ReadonlyMap<number, readonly Secret[]>
  readonly privateRpc: ReadonlyMap<number, Secret>
  readonly bundler: ReadonlyMap<number, Secret>
  readonly paymaster: ReadonlyMap<number, Secret>
  readonly problems: readonly ConfigProblem[]
}

/** A provider by its name is an endpoint of its own for each chain that it has. */
export function readRpc(values: Settings, chains: readonly Chain[], perChain: PerChain): Config['rpc'] {
  const { SVC_RPC_PROVIDER: provider, RPC_API_KEY: key } = values
  const named = isRpcProvider(provider) && key !== undefined ? providerEndpoints(provider, key, chains) : []
  return {
    urls: new Map([...named, ...perChain.rpc]),
    privateUrls: perChain.privateRpc,
    provider: provider === undefined || isRpcProvider(provider) ? null : new Secret(provider),
    apiKey: key === undefined ? null : new Secret(key),
  }
}

function malformed(setting: string): ConfigProblem {
  return {
    code: 'SETTING_INVALID',
    setting,
    message: 'Accepted: a chain id at the end of the name, http or https URLs separated by commas.',
    fix: `Correct ${setting}.`,
  }
}
