import { existsSync, readFileSync } from 'node:fs'
import { type Chain, chains as publicChains } from '@svc/wallet/core'
import { isAddress } from 'viem'
import * as z from 'zod'
import { ConfigError, type ConfigProblem } from './config-shape.ts'

/**
 * Lays the rows of a chains file over the built-in table. A row whose id is known needs to name only what differs (lists
 * and AMM deployments are replaced whole per version); a new id needs every member.
 *
 * @returns the merged table, or what is wrong with the file
 */
export function mergeChainsFile(path: string, known: readonly Chain[]): MergedChains {
  const content = readJson(path)
  if (content === undefined) {
    const message = existsSync(path) ? `${path} cannot be read as JSON.` : `${path} does not exist.`
    return { problems: [problem(message)] }
  }
  return mergeChains(content, known)
}

/** The same of what such a file holds. */
export function mergeChains(content: unknown, known: readonly Chain[]): MergedChains {
  const parsed = z.array(partialRow).safeParse(content)
  if (!parsed.success) return { problems: describe(parsed.error) }
  const rows = new Map<number, unknown>(known.map((chain) => [chain.id, chain]))
  for (const row of parsed.data) rows.set(row.id, overlay(rows.get(row.id), row))
  const merged = z.array(fullRow).safeParse([...rows.values()])
  return merged.success ? { chains: merged.data as readonly Chain[] } : { problems: describe(merged.error) }
}

/** The chains of a server whose settings name this file, or none. Throws `ConfigError`. */
export function readChains(path: string | undefined): readonly Chain[] {
  const read = path === undefined ? { chains: publicChains } : mergeChainsFile(path, publicChains)
  if ('problems' in read) throw new ConfigError(read.problems)
  return read.chains
}

type MergedChains = { readonly chains: readonly Chain[] } | { readonly problems: readonly ConfigProblem[] }

const address = z.string().refine((text) => isAddress(text), 'Accepted: an address with a valid checksum')
const bytes32 = z.string().regex(/^0x[0-9a-f]{64}$/, 'Accepted: 0x and 64 lower-case hex digits')
const name = z.string().regex(/^[a-z0-9-]{1,32}$/, 'Accepted: 1 to 32 of a-z 0-9 -')
const url = z.url({ protocol: /^https?$/ })

const subgraph = z.union([z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,64}$/), url], {
  error: 'Accepted: a subgraph id in base58, or an http or https URL',
})

const seconds = z.int().positive()

/** A whole number of an aggregator's own units: digits in a file, which has no numbers of that size. */
const answer = z.union(
  [
    z.bigint().nonnegative(),
    z
      .string()
      .regex(/^\d{1,58}$/)
      .transform(BigInt),
  ],
  {
    error: 'Accepted: a whole number as a string of digits',
  },
)

const usdFeed = z.strictObject({
  address,
  heartbeatSeconds: seconds,
  deviationBps: z.int().min(0).max(10_000),
  decimals: z.int().min(0).max(36),
  minAnswer: answer.optional(),
  maxAnswer: answer.optional(),
})

const referencePool = z.strictObject({
  version: z.enum(['v2', 'v3', 'v4']),
  id: z.union([address, bytes32], { error: 'Accepted: the address of a pair or pool, or a PoolId' }),
  quote: address,
  fee: z.int().min(0).max(1_000_000),
  tickSpacing: z.int().min(1).max(32_767).optional(),
  native: z.boolean().optional(),
})

const token = z.strictObject({
  symbol: z.string().min(1).max(32),
  name: z.string().min(1).max(64),
  address,
  decimals: z.int().min(0).max(77),
  usdPegged: z.boolean().optional(),
  priceSources: z
    .strictObject({ feed: usdFeed.optional(), pools: z.array(referencePool).max(8).optional() })
    .optional(),
})

const amm = z.strictObject({
  v2: z.strictObject({ factory: address, router: address, pairInitCodeHash: bytes32 }).optional(),
  v3: z
    .strictObject({
      factory: address,
      positionManager: address,
      swapRouter02: address,
      quoterV2: address,
      tickLens: address,
      poolInitCodeHash: bytes32,
    })
    .optional(),
  v4: z
    .strictObject({ poolManager: address, positionManager: address, stateView: address, quoter: address })
    .optional(),
  universalRouter: z.strictObject({ address, version: z.enum(['2.0', '2.1.0', '2.1.1']) }).optional(),
})

const fullRow = z.strictObject({
  id: z.int().positive(),
  name,
  aliases: z.array(name),
  testnet: z.boolean(),
  nativeCurrency: z.strictObject({ name: z.string(), symbol: z.string(), decimals: z.int().min(0).max(77) }),
  publicRpcUrls: z.array(url),
  explorerUrl: url.nullable(),
  confirmations: z.int().positive(),
  blockTimeSeconds: z.number().positive(),
  maxHeadAgeSeconds: z.number().positive().nullable(),
  ordinaryTipGwei: z.int().positive().max(10_000).optional(),
  maxGasFeeGwei: z.int().positive().max(1e12).optional(),
  l1DataFee: z.boolean().optional(),
  faucet: z.boolean().optional(),
  sponsored: z.boolean().optional(),
  local: z.boolean().optional(),
  logRangeBlocks: z.int().positive(),
  multicall3: address,
  permit2: address,
  wrappedNative: token,
  amm,
  sequencerUptimeFeed: z.strictObject({ address, graceSeconds: seconds }).optional(),
  identityRegistry: z.strictObject({ address, form: z.enum(['erc8004-v1', 'handle-v0']) }).optional(),
  rewardDistributor: address.optional(),
  orderReactor: address.optional(),
  crossChainSettler: address.optional(),
  subgraphs: z.strictObject({ v2: subgraph.optional(), v3: subgraph.optional(), v4: subgraph.optional() }).optional(),
  tokens: z.array(token),
})

const partialRow = fullRow.partial().required({ id: true })

function overlay(known: unknown, row: z.output<typeof partialRow>): unknown {
  if (typeof known !== 'object' || known === null) return row
  const deployed = 'amm' in known && typeof known.amm === 'object' ? known.amm : {}
  return { ...known, ...row, amm: { ...deployed, ...row.amm } }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    return undefined
  }
}

function describe(error: z.ZodError): readonly ConfigProblem[] {
  return error.issues.map((issue) => problem(`[${issue.path.map(String).join('.')}] ${issue.message}.`))
}

function problem(message: string): ConfigProblem {
  return { code: 'CHAINS_FILE_INVALID', setting: 'SVC_CHAINS_FILE', message, fix: 'Correct the file it names.' }
}
