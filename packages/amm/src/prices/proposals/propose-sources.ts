import type { Chain, PriceSources, UsdFeed } from '@svc/wallet/core'
import type { BlockTime, Token } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { createBlockReads } from '../../rpc/create-block-reads.ts'
import { feedQuery } from '../feed-query.ts'
import { feedWitness } from '../band/feed-witness.ts'
import { doubtOfDepth, doubtOfPrice, doubtOfQuote, doubtOfRecord, type PriceReference } from './judge-candidate.ts'
import { type CandidatePorts, type PoolCandidate, readCandidates } from './read-candidates.ts'
import { type PoolRecord, readPoolRecord, type RecordPorts } from './read-pool-record.ts'

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
