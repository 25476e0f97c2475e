import type { Chain, ChainToken, ReferencePool } from '@svc/wallet/core'
import type {
  BlockTime,
  Liquidity,
  PriceSource,
  RpcPool,
  Token,
  TokenDirectory,
  Pool,
  SwapHistory,
} from '../../ports.ts'
import { amountsInTicks } from '../../liquidity/pools/read-pool-amounts.ts'
import { type NamedTokens, type PoolPlace, restsOn } from '../named-tokens.ts'
import { depthReach, type PoolDepth } from '../band/pool-reading.ts'
import { zeroAddress } from 'viem'
import { type BlockReads, createBlockReads, mapQuery, readPast } from '../../rpc/query.ts'
import { discoverablePools } from '../discover-price.ts'
import { pastTimes, poolQuery, readPastOfPool, snapshotQuery } from '../source-queries.ts'
import { poolEvidence } from '../band/price-witnesses.ts'
import { isAtPeg } from '../band/price-band.ts'
import { ToolError } from '../../tool-error.ts'
import { hasLogsBefore } from '../../liquidity/logs/scan-logs.ts'
import { blockAt } from '../../liquidity/swaps/block-at.ts'

/**
 * Every pool of a token that stands against another token of the chain's list, deepest first: what stands on both sides within
 * reach of its price, over the time of its mean where it tells one, and what it says the token is worth. Tokens without a
 * price of named sources are no quotes.
 *
 * @throws ToolError `RPC_*`
 */
export async function readCandidates(
  chain: Chain,
  token: Token,
  { rpc, tokens, prices, liquidity, namedTokens }: CandidatePorts,
  head: BlockTime,
): Promise<readonly PoolCandidate[]> {
  const reads = createBlockReads(rpc, chain, head)
  const quotes = await Promise.all(
    listedRows(chain, token).map(async (row) => {
      const usd = await usdOf(row, { chain, tokens, prices, head })
      return quoteOf(row, usd, restsOn(namedTokens(chain, row), token.address.toLowerCase()))
    }),
  )
  const found = quotes.flatMap((quote) =>
    quote === null
      ? []
      : discoverablePools(chain, token, quote.row).map((place) => readPlace(place, quote, chain, { reads, liquidity })),
  )
  const candidates = (await Promise.all(found)).flatMap((candidate) => candidate ?? [])
  return candidates.toSorted((one, other) => depthOf(other) - depthOf(one) || (one.row.id < other.row.id ? -1 : 1))
}

export type CandidatePorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'past'>
  readonly tokens: Pick<TokenDirectory, 'byAddress'>
  readonly prices: Pick<PriceSource, 'usd'>
  readonly liquidity: Pick<Liquidity, 'pool' | 'ticks'>
  readonly namedTokens: NamedTokens
}

/** A pool as it would stand in a policy, and what is known of it. Dollars at the price of its quote. */
export type PoolCandidate = {
  readonly row: ReferencePool
  readonly quote: Pick<Token, 'address' | 'symbol' | 'decimals'> & {
    readonly usd: number
    /** Its own price comes from the token's: a pool against it says nothing of either. */
    readonly restsOnToken: boolean
  }
  /** Within 20 % of the price. */
  readonly depthUsd: { readonly tokenSide: number; readonly quoteSide: number }
  /** Seconds over which the depth stood there; `null` where it is that of the moment. */
  readonly depthSeconds: number | null
  /** What it says one whole token is worth. */
  readonly usd: number
}

/** What is deep on one side alone is not deep. */
export function depthOf({ depthUsd: { tokenSide, quoteSide } }: PoolCandidate): number {
  return Math.min(tokenSide, quoteSide)
}

type Quote = { readonly row: ChainToken; readonly usd: number; readonly restsOnToken: boolean }

/** Wrapped native currency stands among the tokens of most chains, and is taken once. */
function listedRows(chain: Chain, token: Pick<Token, 'address'>): readonly ChainToken[] {
  const rows = new Map([chain.wrappedNative, ...chain.tokens].map((row) => [row.address.toLowerCase(), row]))
  rows.delete(token.address.toLowerCase())
  return [...rows.values()]
}

async function usdOf(
  row: ChainToken,
  { chain, tokens, prices, head }: Pick<CandidatePorts, 'tokens' | 'prices'> & { chain: Chain; head: BlockTime },
) {
  return prices.usd(chain, await tokens.byAddress(chain, row.address), head)
}

function quoteOf(row: ChainToken, price: Awaited<ReturnType<PriceSource['usd']>>, restsOnToken: boolean): Quote | null {
  const band = price?.band ?? null
  if (band === null || band.basis === 'cold' || (row.usdPegged === true && !isAtPeg(band))) return null
  return { row, usd: Number(band.midE18) / 1e18, restsOnToken }
}

async function readPlace(
  place: PoolPlace,
  quote: Quote,
  chain: Chain,
  { reads, liquidity }: { readonly reads: BlockReads; readonly liquidity: CandidatePorts['liquidity'] },
): Promise<PoolCandidate | null> {
  const times = pastTimes(reads.head.number, chain, () => 0)
  const [now, older] = await Promise.all([
    reads.now(poolQuery(chain, place, Number(reads.head.timestamp), times)),
    readPastOfPool(chain, reads, place, times),
  ])
  const evidence = poolEvidence({ ...place, ...now, older, seen: [] })
  if (evidence === null) return null
  const { mean, spot } = evidence
  // No contract tells what a single v4 pool holds, and a price is taken from as much of it as is sure; here a person looks.
  const depth = place.row.version === 'v4' ? await depthInTicks(liquidity, chain, place) : evidence.depth
  const { address, symbol, decimals } = quote.row
  return {
    row: rowOf(place),
    quote: { address, symbol, decimals, usd: quote.usd, restsOnToken: quote.restsOnToken },
    depthUsd: { tokenSide: depth.tokenSide * quote.usd, quoteSide: depth.quoteSide * quote.usd },
    depthSeconds: place.row.version === 'v4' ? null : (mean?.seconds ?? null),
    usd: (Number(mean?.midE18 ?? spot.lowE18) / 1e18) * quote.usd,
  }
}

function rowOf({ row: { version, id, fee, tickSpacing }, token, quote }: PoolPlace): ReferencePool {
  const row = { version, id, quote, fee }
  if (version !== 'v4' || tickSpacing === undefined) return row
  return { ...row, tickSpacing, ...(token === zeroAddress ? { native: true } : {}) }
}

/** What stands on both sides of a pool's price by its ticks, in whole quote tokens: the liquidity of the moment. */
async function depthInTicks(
  liquidity: Pick<Liquidity, 'pool' | 'ticks'>,
  chain: Chain,
  { row, side }: Pick<PoolPlace, 'row' | 'side'>,
): Promise<PoolDepth> {
  const pool = await liquidity.pool(chain, row)
  const [up, down] = [1 + depthReach, 1 / (1 - depthReach)].map((factor) =>
    Math.floor(Math.log(factor) / Math.log(1.0001)),
  )
  const [above = 0, below = 0] = side.tokenIs0 ? [up, down] : [down, up]
  const span = { from: pool.tick - below, to: pool.tick + above }
  const held = amountsInTicks(pool, await liquidity.ticks(chain, pool, span.from, span.to), span)
  const [token, quote] = side.tokenIs0 ? [held.amount0, held.amount1] : [held.amount1, held.amount0]
  const rawPrice = (Number(pool.sqrtPriceX96) / 2 ** 96) ** 2
  const quotesForToken = side.tokenIs0 ? rawPrice : 1 / rawPrice
  const whole = 10 ** side.quoteDecimals
  return { tokenSide: (Number(token) * quotesForToken) / whole, quoteSide: Number(quote) / whole }
}

/** What a pool did in the last week, as far as logs and older state tell. */
export type PoolRecord = {
  /** Whether it had a price a week ago; `null` where the endpoint does not tell. */
  readonly isWeekOld: boolean | null
  /** What was traded in seven days at the price its quote has now; `null` where the logs do not reach back. */
  readonly volume7dUsd: number | null
}

/** Reads what became of a pool in a week. An endpoint that gives neither its logs nor older state leaves both open. */
export async function readPoolRecord(
  ports: RecordPorts,
  chain: Chain,
  candidate: Pick<PoolCandidate, 'row' | 'quote'>,
  head: BlockTime,
): Promise<PoolRecord> {
  const weekAgo = Number(head.timestamp) - weekSeconds
  const logged = await readLogs(ports, chain, candidate, weekAgo)
  const isWeekOld = logged?.isWeekOld ?? (await stoodAt(ports.rpc, chain, candidate, head, weekAgo))
  return { isWeekOld, volume7dUsd: logged?.volumeUsd ?? null }
}

export type RecordPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'past'>
  readonly liquidity: Pick<Liquidity, 'pool' | 'swaps'>
}

const daySeconds = 86_400
const weekSeconds = 7 * daySeconds

/** Pairs do not log when they were made, so of them the day before is read too: whoever traded then had a pair. */
async function readLogs(
  { rpc, liquidity }: RecordPorts,
  chain: Chain,
  { row, quote }: Pick<PoolCandidate, 'row' | 'quote'>,
  weekAgo: number,
) {
  const from = row.version === 'v2' ? weekAgo - daySeconds : weekAgo
  try {
    const pool = await liquidity.pool(chain, row)
    const history = await liquidity.swaps(chain, pool, from)
    const isReported = await hasLogsBefore(rpc, chain, from, {})
    const isWeekOld = ageFrom(pool, history, weekAgo, isReported)
    return {
      isWeekOld,
      volumeUsd: isReported || isWeekOld === false ? volumeOf(pool, history, weekAgo, { row, quote }) : null,
    }
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** A pool whose first price is not within the time had it before, if the endpoint keeps the logs of that time. */
function ageFrom(
  { version }: Pool,
  { swaps, complete, created }: SwapHistory,
  weekAgo: number,
  isReported: boolean,
): boolean | null {
  if (created !== null) return created.timestamp <= weekAgo
  if (swaps.some(({ timestamp }) => timestamp <= weekAgo)) return true
  return complete && isReported && version !== 'v2' ? true : null
}

function volumeOf(
  { token0 }: Pool,
  { swaps, complete }: SwapHistory,
  weekAgo: number,
  { row, quote }: Pick<PoolCandidate, 'row' | 'quote'>,
): number | null {
  if (!complete) return null
  const quoteIs0 = token0.address.toLowerCase() === row.quote.toLowerCase()
  const amounts = swaps.flatMap(({ timestamp, amount0, amount1 }) => {
    if (timestamp <= weekAgo) return []
    const amount = quoteIs0 ? amount0 : amount1
    return [amount < 0n ? -amount : amount]
  })
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  return (Number(sum) / 10 ** quote.decimals) * quote.usd
}

/** `null` where the endpoint does not have the state of that time. */
async function stoodAt(
  rpc: RecordPorts['rpc'],
  chain: Chain,
  { row }: Pick<PoolCandidate, 'row'>,
  head: BlockTime,
  atSeconds: number,
): Promise<boolean | null> {
  const readBlock = async (blockNumber: bigint) => {
    const { number, timestamp } = await rpc.client(chain).getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  try {
    const newest = { number: head.number, timestamp: Number(head.timestamp) }
    const { number } = await blockAt(readBlock, newest, atSeconds, chain.blockTimeSeconds)
    const stood = mapQuery(snapshotQuery(chain, { row }), (at) => (seconds: number) => at(seconds) !== null)
    return number === 0n ? null : await readPast(rpc, chain, stood, number - 1n)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
