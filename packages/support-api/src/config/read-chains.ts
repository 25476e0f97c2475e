import { readFileSync } from 'node:fs'
import { chains as builtIn, type Chain } from '@svc/wallet/core'
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
