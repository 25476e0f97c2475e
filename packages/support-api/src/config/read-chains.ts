import { readFileSync } from 'node:fs'
import { type Chain, chains as builtIn } from '@svc/wallet/core'
import * as z from 'zod'
import { type ConfigProblem, httpUrl, type Settings } from './schema.ts'
import { isLoopback } from '@svc/runtime'

/**
 * The chain table with the rows of a file laid over it. A row whose id is known names only what differs; a new id needs
 * every member that the faucet's sender reads. Members that only a tool server reads are let through as they are.
 */
export function readChains(path: string | undefined): ChainTable {
  if (path === undefined) return { chains: builtIn, named: new Set(), problems: [] }
  const read = readJson(path)
  if (typeof read === 'string') return refused(read)
  const rows = z.array(z.looseObject({ id: z.int().positive() })).safeParse(read.json)
  if (!rows.success) return refused('The file does not hold a list of chain rows, each with its id.')
  const table = new Map<number, unknown>(builtIn.map((chain) => [chain.id, chain]))
  for (const row of rows.data) table.set(row.id, Object.assign({}, table.get(row.id), row))
  const chains = [...table.values()]
  if (chains.every(isChain)) return { chains, named: new Set(rows.data.map(({ id }) => id)), problems: [] }
  const [issue] = z.array(chainRow).safeParse(chains).error?.issues ?? []
  return refused(`[${issue?.path.map(String).join('.')}] ${issue?.message}.`)
}

export type ChainTable = {
  readonly chains: readonly Chain[]
  /** Ids that the file names. */
  readonly named: ReadonlySet<number>
  readonly problems: readonly ConfigProblem[]
}

const chainRow = z.looseObject({
  id: z.int().positive(),
  name: z.string().regex(/^[a-z0-9-]{1,32}$/, 'Accepted: 1 to 32 of a-z 0-9 -'),
  testnet: z.boolean(),
  nativeCurrency: z.looseObject({ symbol: z.string().min(1).max(32), decimals: z.int().min(0).max(77) }),
  publicRpcUrls: z.array(httpUrl),
  explorerUrl: httpUrl.nullable(),
  confirmations: z.int().positive(),
  blockTimeSeconds: z.number().positive(),
  maxHeadAgeSeconds: z.number().positive().nullable(),
})

function isChain(row: unknown): row is Chain {
  return chainRow.safeParse(row).success
}

/** What the file holds, or why that cannot be said. */
function readJson(path: string): { readonly json: unknown } | string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return `The file cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`
  }
  try {
    return { json: JSON.parse(text) as unknown }
  } catch {
    return 'The file is not JSON.'
  }
}

function refused(message: string): ChainTable {
  const problem: ConfigProblem = {
    code: 'CHAINS_FILE_INVALID',
    setting: 'SVC_CHAINS_FILE',
    message,
    fix: 'Correct the path or the file.',
  }
  return { chains: builtIn, named: new Set(), problems: [problem] }
}

/** Reads the endpoints named per chain; what is malformed becomes a problem. */
export function readRpcUrls(env: Readonly<Record<string, string | undefined>>): {
  readonly urls: ReadonlyMap<number, readonly string[]>
  readonly problems: readonly ConfigProblem[]
} {
  const urls = new Map<number, readonly string[]>()
  const problems: ConfigProblem[] = []
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith(prefix)) continue
    const id = name.slice(prefix.length)
    const endpoints = value.split(',').map((url) => url.trim())
    const isGood = /^[1-9]\d{0,15}$/.test(id) && endpoints.every((url) => httpUrl.safeParse(url).success)
    if (isGood) urls.set(Number(id), endpoints)
    else problems.push(malformed(name))
  }
  return { urls, problems: [...problems, ...shared(urls)] }
}

const prefix = 'SVC_RPC_URL_'

function malformed(setting: string): ConfigProblem {
  const message = 'Accepted: a chain id at the end of the name, http or https URLs separated by commas.'
  return { code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }
}

/** An endpoint speaks for one chain. */
function shared(urls: ReadonlyMap<number, readonly string[]>): readonly ConfigProblem[] {
  const owners = new Map<string, number>()
  const problems: ConfigProblem[] = []
  for (const [id, endpoints] of urls) {
    const owner = endpoints.map((url) => owners.get(new URL(url).href)).find((other) => other !== undefined)
    for (const url of endpoints) owners.set(new URL(url).href, id)
    if (owner === undefined || owner === id) continue
    const setting = `${prefix}${id}`
    const message = `One of its endpoints stands in ${prefix}${owner} too, and is of one chain only.`
    problems.push({ code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting} or ${prefix}${owner}.` })
  }
  return problems
}

/** Checks what settings must keep to together. Each refusal has its code and its fix. */
export function checkRules(values: Settings, table: ChainTable): readonly ConfigProblem[] {
  return [...wireRules(values), ...upstreamRules(values), ...faucetRules(values, table)]
}

/** What is allowed and most likely not meant. */
export function doubtsAbout(values: Settings): readonly ConfigProblem[] {
  const doubts: ConfigProblem[] = []
  const isPublic = values.SVC_ALLOWED_HOSTS.some((name) => !isLoopback(name.replace(/^\[|\]$/g, '')))
  if (isPublic && isLoopback(hostOf(values.SVC_LISTEN)) && values.SVC_TRUSTED_PROXIES.length === 0) {
    doubts.push({
      code: 'PROXY_NOT_NAMED',
      setting: 'SVC_TRUSTED_PROXIES',
      message: 'Behind a proxy that is not named here all clients count as one range of addresses.',
      fix: 'Set it to the address that the proxy comes from, such as 127.0.0.1.',
    })
  }
  if (values.SVC_PIN_BACKEND === 'embedded' && values.SVC_PIN_URL !== undefined) {
    doubts.push({
      code: 'SETTING_UNUSED',
      setting: 'SVC_PIN_URL',
      message: 'The embedded backend has no URL.',
      fix: 'Name the backend in SVC_PIN_BACKEND, or remove SVC_PIN_URL.',
    })
  }
  return doubts
}

function wireRules(values: Settings): readonly ConfigProblem[] {
  const { SVC_TLS_CERT: cert, SVC_TLS_KEY: key, SVC_TRUSTED_PROXIES: proxies } = values
  const problems: ConfigProblem[] = []
  if (cert === undefined && key !== undefined) problems.push(missing('SVC_TLS_CERT', 'TLS'))
  if (cert !== undefined && key === undefined) problems.push(missing('SVC_TLS_KEY', 'TLS'))
  if (!isLoopback(hostOf(values.SVC_LISTEN)) && (cert === undefined || key === undefined) && proxies.length === 0) {
    problems.push({
      code: 'PLAINTEXT_LISTEN',
      setting: 'SVC_LISTEN',
      message: 'App ids and claims would cross the network in the clear.',
      fix: 'Listen on 127.0.0.1, or set SVC_TLS_CERT and SVC_TLS_KEY, or name the proxy that ends TLS in SVC_TRUSTED_PROXIES.',
    })
  }
  if (!isLoopback(hostOf(values.SVC_LISTEN)) && values.SVC_ALLOWED_HOSTS.length === 0) {
    problems.push(missing('SVC_ALLOWED_HOSTS', 'A service that listens beyond loopback'))
  }
  return problems
}

function upstreamRules(values: Settings): readonly ConfigProblem[] {
  const { SVC_PIN_BACKEND: backend } = values
  const problems: ConfigProblem[] = []
  if (values.SVC_IDENTITY_PROVIDER_URL === undefined) {
    problems.push(missing('SVC_IDENTITY_PROVIDER_URL', 'The check of app ids'))
  }
  const hasAccount = backend === 'pinata' || backend === 'pinning-service'
  if (hasAccount && values.SVC_PINNING_JWT === undefined) {
    problems.push(missing('SVC_PINNING_JWT', `SVC_PIN_BACKEND=${backend}`))
  }
  if (backend === 'pinning-service' && values.SVC_PIN_URL === undefined) {
    problems.push(missing('SVC_PIN_URL', `SVC_PIN_BACKEND=${backend}`, 'the URL that /pins of the service is below of'))
  }
  const isReachedAsWritten = isLoopback(hostOf(values.SVC_LISTEN)) && !values.SVC_LISTEN.endsWith(':0')
  if (values.SVC_GATEWAY_URL === undefined && backend !== 'embedded') {
    problems.push(missing('SVC_GATEWAY_URL', `SVC_PIN_BACKEND=${backend}`, 'a gateway that finds what is pinned there'))
  } else if (values.SVC_GATEWAY_URL === undefined && !isReachedAsWritten) {
    problems.push(missing('SVC_GATEWAY_URL', 'A service that is not reached where it listens'))
  }
  return problems
}

function faucetRules(values: Settings, { chains, named }: ChainTable): readonly ConfigProblem[] {
  if (values.SVC_FAUCET_PRIVATE_KEY === undefined) return []
  return values.SVC_FAUCET_CHAINS.flatMap((id): ConfigProblem[] => {
    const chain = chains.find((row) => row.id === Number(id))
    if (chain?.testnet === true && (faucetChains.has(chain.id) || named.has(chain.id))) return []
    return [
      {
        code: 'SETTING_INVALID',
        setting: 'SVC_FAUCET_CHAINS',
        message: `The faucet serves 11155111, 84532 and test chains that SVC_CHAINS_FILE names, not ${id}.`,
        fix: 'Correct SVC_FAUCET_CHAINS.',
      },
    ]
  })
}

/** Sepolia and Base Sepolia. */
const faucetChains: ReadonlySet<number> = new Set([11_155_111, 84_532])

function missing(setting: string, cause: string, meaning?: string): ConfigProblem {
  const fix = `Set ${setting}${meaning === undefined ? '' : ` to ${meaning}`}.`
  return { code: 'SETTING_MISSING', setting, message: `${cause} needs it.`, fix }
}

function hostOf(listen: string): string {
  return listen.slice(0, listen.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}
