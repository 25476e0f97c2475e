import { formatAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import * as z from 'zod'
import {
  type Quote,
  type Version,
  type HistorySource,
  type Intent,
  isUnnamed,
  type Pool,
  type PriceSource,
  type Settled,
  type Token,
  type TokenDirectory,
  tokenLabel,
  type UsdPrice,
} from '@svc/amm'
import { suspectAdvice } from '@svc/amm/tokens'
import type { ReadContext } from '../tool-context.ts'

/*
 * Members that several results share, each beside the function that fills it. Numbers of dollars are null where no
 * trustworthy price exists; `notes` says what is missing and why, in our own words.
 */

export const usdResult = z.number().nullable()

export const notesResult = z.array(z.string())

export const readResult = {
  chain: z.object({ id: z.int(), name: z.string() }),
  timestamp: z.string(),
  source: z.string(),
}

export const blockResult = { ...readResult, blockNumber: z.int(), blockAgeSeconds: z.int().nullable() }

/** When and where a read was made. `source` is that of a history, else `rpc`, or `config` for what this server knows without asking a chain. */
export function readStamp(
  chain: Chain,
  context: Pick<ReadContext, 'now'>,
  source: HistorySource | 'config' = 'rpc',
): ReadStamp {
  return { chain: { id: chain.id, name: chain.name }, timestamp: new Date(context.now()).toISOString(), source }
}

/**
 * The same with the block whose state was read, which is the last that a history knows of, and how old it was: of the newest block, whose
 * time was read with it, and `null` of others.
 */
export function blockStamp(
  chain: Chain,
  context: Pick<ReadContext, 'now' | 'rpc'>,
  blockNumber: bigint,
  source: HistorySource = 'rpc',
): BlockStamp {
  const head = context.rpc.seenHead?.(chain) ?? null
  return {
    ...readStamp(chain, context, source),
    blockNumber: Number(blockNumber),
    blockAgeSeconds:
      head?.number === blockNumber ? Math.max(0, Math.floor(context.now() / 1000) - Number(head.timestamp)) : null,
  }
}

export const poolSummaryResult = z.object({
  poolAddress: z.string(),
  token0: z.string(),
  token1: z.string(),
  fee: z.int(),
})

/** Identity of a pool, its tokens in its own order, or in that of a caller whose first token is the pool's second. */
export function poolSummary(pool: Pool, isInverted = false): z.infer<typeof poolSummaryResult> {
  const [token0, token1] = inOrder(isInverted, pool.token0, pool.token1)
  return { poolAddress: pool.id, token0: token0.address, token1: token1.address, fee: pool.fee }
}

/** Of tokens that neither the chain nor the policy lists and whose own text is made to mislead: the warning of a plan that buys one. */
export async function suspectNotes(
  { tokens }: { readonly tokens: Pick<TokenDirectory, 'isListed' | 'listedByPolicy'> },
  chain: Chain,
  named: readonly Token[],
): Promise<readonly string[]> {
  const unlisted = named.filter(({ address }) => !tokens.isListed(chain, address))
  if (unlisted.length === 0) return []
  const policyTokens = await tokens.listedByPolicy(chain).catch(() => null)
  return [...new Set(unlisted.flatMap((token) => suspectAdvice(token, chain, policyTokens) ?? []))]
}

/**
 * What a token that nobody prices costs when it leaves again, which whoever buys it should know first. Nothing of one that has a band, or
 * whose sources are silent now.
 */
export async function saleNotes(
  {
    tokens,
    prices,
  }: { readonly tokens: Pick<TokenDirectory, 'isListed'>; readonly prices: Pick<PriceSource, 'doubt'> },
  chain: Chain,
  [token, price]: readonly [Token, UsdPrice | null],
): Promise<readonly string[]> {
  const doubt = price === null ? await prices.doubt(chain, token) : price.doubt
  if ((price?.band ?? null) !== null || !isUnnamed(doubt)) return []
  const label = tokenLabel(token)
  const unnamed = `No named source tells what ${label} is worth.`
  const hasWorth = (price?.mostE18 ?? null) !== null
  const isListed = tokens.isListed(chain, token.address)
  if (!hasWorth && isListed)
    return [`${unnamed} It cannot be sold or pooled until one is named (svc policy add-token).`]
  const counts = hasWorth
    ? ''
    : ', and any amount of it counts then, with its gas, as the whole limit of one transaction'
  return [
    `${unnamed} To sell it later, or to put it into a pool, needs a person's approval (unless unnamedSales of the policy is allow)${counts}. Better have the operator name a source first (svc policy add-token).`,
  ]
}

/** What a negative price impact means. */
export function impactNotes(priceImpactBps: number): readonly string[] {
  if (priceImpactBps >= 0) return []
  return [`priceImpactBps is negative: ${-priceImpactBps} bps better than the market price, fees left out.`]
}

/** Two things of a pool in its own order, in the caller's. */
export function inOrder<Item>(isInverted: boolean, first: Item, second: Item): readonly [Item, Item] {
  return isInverted ? [second, first] : [first, second]
}

/** Whose amounts the members that end in 0 and 1 are. */
export const symbolsResult = { token0Symbol: z.string(), token1Symbol: z.string() }

export function symbolsOf(token0: Token, token1: Token): { token0Symbol: string; token1Symbol: string } {
  return { token0Symbol: token0.symbol, token1Symbol: token1.symbol }
}

/** A position as `get_position` and lists show it; members that a v2 share lacks are null. */
export const positionResult = {
  positionId: z.string(),
  version: z.string(),
  owner: z.string(),
  pool: poolSummaryResult,
  ...symbolsResult,
  tickLower: z.number().nullable(),
  tickUpper: z.number().nullable(),
  priceLower: z.number().nullable(),
  priceUpper: z.number().nullable(),
  currentPrice: z.number(),
  liquidityRaw: z.string(),
  amount0: z.string(),
  amount1: z.string(),
  feesOwed0: z.string(),
  feesOwed1: z.string(),
  valueUsd: usdResult,
  feesUsd: usdResult,
  inRange: z.boolean(),
  isClosed: z.boolean(),
  distanceToLowerPct: z.number().nullable().describe('Of the price; negative: passed'),
  distanceToUpperPct: z.number().nullable(),
}

/** The ends of a range as every answer shows them: null where it has none. */
export function endsOf(range: { readonly priceLower: number; readonly priceUpper: number }): PriceEnds {
  const { priceLower, priceUpper } = range
  return { priceLower: priceLower > 0 ? priceLower : null, priceUpper: Number.isFinite(priceUpper) ? priceUpper : null }
}

type PriceEnds = { readonly priceLower: number | null; readonly priceUpper: number | null }

/** A stored write as lists show it. */
export const operationResult = {
  operationId: z.string(),
  state: z.string(),
  tool: z.string(),
  chainId: z.int(),
  why: z.string(),
  spendUsd: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  executeAfter: z.string().nullable(),
  becameOperationId: z.string().nullable().describe('What this plan became'),
}

export const tokenResult = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() })

export function tokenSummary(token: Token): z.infer<typeof tokenResult> {
  return { address: token.address, symbol: token.symbol, decimals: token.decimals }
}

/** One sentence for each token that has no price. */
export function priceNotes(...priced: readonly (readonly [Token, UsdPrice | null])[]): string[] {
  return priced.flatMap(([token, price]) =>
    price === null ? [`No trustworthy USD price for ${tokenLabel(token)}.`] : [],
  )
}

/** A quantity as a decimal string in whole tokens. */
export function tokenAmount(amount: bigint, token: Token): string {
  return formatAmount(amount, token.decimals)
}

export const writeResult = {
  status: z.literal('success'),
  txHash: z.string(),
  explorerUrl: z.string().nullable(),
  transactions: z.array(z.string()),
  atomicity: z.string(),
  gasCostUsd: usdResult,
}

/** Whether the private endpoint of the chain alone saw a write. */
export const submissionResult = z.enum(['private', 'public'])

/** The same with the endpoints it went to, of a write that may trade or that callers would expect to be kept private. */
export const tradeResult = { ...writeResult, submission: submissionResult }

/** What every write reports about its transactions. */
export function writeStamp(chain: Chain, intent: Intent, settled: Settled): WriteStamp {
  return {
    status: 'success',
    txHash: settled.main.hash,
    explorerUrl: explorerUrl(chain, settled.main.hash),
    transactions: settled.transactions.map((transaction) => transaction.hash),
    atomicity: intent.atomicity,
    gasCostUsd: settled.gasCostUsd,
  }
}

/** What every trade reports; without a private endpoint everything is public. */
export function tradeStamp(chain: Chain, intent: Intent, settled: Settled) {
  return { ...writeStamp(chain, intent, settled), submission: settled.submission ?? ('public' as const) }
}

/** What is read once for a result, as the `begin` of `ResultReads` and for whoever shapes it. */
export function onceMined<Read>(read: (mined: Settled) => Promise<Read>): (mined: Settled) => Promise<Read> {
  let reading: Promise<Read> | undefined
  return (mined) => (reading ??= read(mined))
}

/** Where a person can look a transaction up; null on a chain without an explorer. */
export function explorerUrl(chain: Chain, hash: Hash): string | null {
  return chain.explorerUrl === null ? null : `${chain.explorerUrl}/tx/${hash}`
}

/** One page of a list, by offset. */
export function pageOf<Item>(
  items: readonly Item[],
  limit: number,
  cursor: string | undefined,
): { readonly items: Item[]; readonly nextCursor: string | null } {
  const start = Number(cursor ?? '0')
  const end = start + limit
  return { items: items.slice(start, end), nextCursor: end < items.length ? String(end) : null }
}

type ReadStamp = z.output<z.ZodObject<typeof readResult>>

type BlockStamp = z.output<z.ZodObject<typeof blockResult>>

type WriteStamp = z.output<z.ZodObject<typeof writeResult>>

/** The pools of a quote, of all its parts, each with its version. */
export function poolsOf({ route, parts }: Pick<Quote, 'route' | 'parts'>) {
  return (parts ?? [{ route }]).flatMap((part) =>
    part.route.map(({ pool }) => ({ version: pool.version, pool: pool.id })),
  )
}

/** Each version among pools, once. */
export function versionsIn(pools: readonly { readonly version: Version }[]): string {
  return [...new Set(pools.map(({ version }) => version))].join(', ')
}
