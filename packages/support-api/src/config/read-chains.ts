import { readFileSync } from 'node:fs'
import { type Chain, chains as builtIn } from '@svc/wallet/core'
import * as z from 'zod'
import type { ConfigProblem } from './config-error.ts'
import { httpUrl } from './schema.ts'

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
