import {
  type CandidatePorts,
  depthOf,
  type PoolCandidate,
  readCandidates,
  type PoolRecord,
  readPoolRecord,
  type RecordPorts,
} from './read-candidates.ts'
import type { Chain, PriceSources, UsdFeed } from '@svc/wallet/core'
import type { BlockTime, Token } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { createBlockReads } from '../../rpc/query.ts'
import { feedQuery } from '../source-queries.ts'
import { feedWitness } from '../band/feed-witness.ts'

/**
 * What the price of a token could be taken from, for a person to confirm: its deepest pools against tokens of the chain's list
 * that have depth on both sides, are a week old and agree with each other, and the feed that was named. Everything that is
 * passed over is in the answer with the reason.
 *
 * @throws ToolError `RPC_*`, and `VALIDATION_FAILED` for a feed that answers nothing
 */
export async function proposeSources(
  { chain, token, feed }: SourcesWanted,
  ports: ProposalPorts,
): Promise<SourceProposal> {
  const head = await ports.rpc.head(chain)
  const [named, candidates] = await Promise.all([
    feed === null ? null : readFeed(chain, feed, head, ports),
    readCandidates(chain, token, ports, head),
  ])
  const pools: JudgedPool[] = []
  let reference: PriceReference | null = named === null ? null : { source: 'the feed', usd: named.usd }
  for (const candidate of candidates) {
    const judged = await judge(candidate, reference, pools, { chain, head, ports })
    pools.push(judged)
    if (judged.doubt === null) reference ??= { source: 'the deepest pool', usd: candidate.usd }
  }
  const rows = pools.flatMap(({ candidate: { row }, doubt }) => (doubt === null ? [row] : []))
  const sources = { ...(named === null ? {} : { feed: named.row }), pools: rows }
  return { sources, pools, blockNumber: head.number }
}

export type SourcesWanted = {
  readonly chain: Chain
  readonly token: Token
  readonly feed: Omit<UsdFeed, 'decimals' | 'minAnswer' | 'maxAnswer'> | null
}

export type ProposalPorts = CandidatePorts & RecordPorts

export type SourceProposal = {
  readonly sources: PriceSources & Required<Pick<PriceSources, 'pools'>>
  /** Every pool that was found, deepest first. */
  readonly pools: readonly JudgedPool[]
  readonly blockNumber: bigint
}

export type JudgedPool = {
  readonly candidate: PoolCandidate
  /** `null` where it was passed over for its depth or its place already. */
  readonly record: PoolRecord | null
  /** Why it is not proposed; `null` for one that is. */
  readonly doubt: string | null
}

/** As many as a policy names for a token. */
const mostPools = 8

async function judge(
  candidate: PoolCandidate,
  reference: PriceReference | null,
  before: readonly JudgedPool[],
  { chain, head, ports }: { readonly chain: Chain; readonly head: BlockTime; readonly ports: RecordPorts },
): Promise<JudgedPool> {
  const isFull = before.filter(({ doubt }) => doubt === null).length === mostPools
  const early =
    doubtOfQuote(candidate) ??
    doubtOfDepth(candidate) ??
    doubtOfPrice(candidate, reference) ??
    (isFull ? `${mostPools} deeper ones are proposed` : null)
  if (early !== null) return { candidate, record: null, doubt: early }
  const record = await readPoolRecord(ports, chain, candidate, head)
  return { candidate, record, doubt: doubtOfRecord(record) }
}

/** The row of a feed with the decimals that it tells itself. */
async function readFeed(
  chain: Chain,
  feed: NonNullable<SourcesWanted['feed']>,
  head: BlockTime,
  { rpc }: ProposalPorts,
): Promise<{ readonly row: UsdFeed; readonly usd: number }> {
  const { decimals, round } = await createBlockReads(rpc, chain, head).now(feedQuery({ ...feed, decimals: 0 }))
  const row = { ...feed, decimals: decimals ?? 0 }
  const said = feedWitness({ row, decimals, round }, null, Number(head.timestamp))
  if (said.silent === null) return { row, usd: Number(said.midE18) / 1e18 }
  const message = `The feed says nothing now: ${said.silent}.`
  throw new ToolError('VALIDATION_FAILED', message, { details: [{ field: '--feed', message: said.silent }] })
}

/** Why a pool cannot be a source; `null` where it can. */
function doubtOfQuote({ quote: { symbol, restsOnToken } }: PoolCandidate): string | null {
  return restsOnToken ? `the price of ${symbol} comes from that of this token, and from no feed` : null
}

/** Why a pool should not be named as a source, in a sentence; `null` where nothing speaks against it. */
export function doubtOfDepth(candidate: PoolCandidate): string | null {
  const depth = depthOf(candidate)
  if (depth >= leastDepthUsd) return null
  const { tokenSide, quoteSide } = candidate.depthUsd
  const shallow = tokenSide < quoteSide ? 'of the token' : `of ${candidate.quote.symbol}`
  return `it is thin: ${dollars(depth)} USD ${shallow} within 20 % of its price, and ${dollars(leastDepthUsd)} are needed on each side`
}

/** The same of what it did in the last week. */
export function doubtOfRecord({ isWeekOld, volume7dUsd }: PoolRecord): string | null {
  if (isWeekOld === false) return 'it is younger than a week'
  if (isWeekOld === null) {
    return 'its age is not known: the endpoint gives neither the logs nor the state of a week ago'
  }
  return volume7dUsd === 0 ? 'nothing was traded in it for a week, so nobody keeps its price' : null
}

/** The same of its price, held against what a feed or the deepest of the pools says. */
export function doubtOfPrice({ usd }: PoolCandidate, reference: PriceReference | null): string | null {
  if (reference === null) return null
  const off = usd / reference.usd - 1
  if (Math.abs(off) <= mostOffShare) return null
  return `its price is ${(off * 100).toFixed(1)} % off that of ${reference.source}`
}

type PriceReference = { readonly source: string; readonly usd: number }

/** What moves a pool and back costs the fees on; below it a modest purse says what a token is worth. */
export const leastDepthUsd = 100_000
/** Further apart than honest sources are; a named pool that dissents widens the band. */
const mostOffShare = 0.02

function dollars(usd: number): string {
  return Math.round(usd).toLocaleString('en-US')
}
