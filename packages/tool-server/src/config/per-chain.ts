import { Secret } from '@svc/wallet/core'
import type { ConfigProblem } from './config-error.ts'
import { httpUrl } from './schema.ts'

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
    bundler: single('SVC_BUNDLER_URL_'),
    paymaster: single('SVC_PAYMASTER_URL_'),
    problems,
  }
}

/** The settings whose names end in a chain id. */
export type PerChain = {
  readonly rpc: ReadonlyMap<number, readonly Secret[]>
  readonly bundler: ReadonlyMap<number, Secret>
  readonly paymaster: ReadonlyMap<number, Secret>
  readonly problems: readonly ConfigProblem[]
}

function malformed(setting: string): ConfigProblem {
  return {
    code: 'SETTING_INVALID',
    setting,
    message: 'Accepted: a chain id at the end of the name, http or https URLs separated by commas.',
    fix: `Correct ${setting}.`,
  }
}
