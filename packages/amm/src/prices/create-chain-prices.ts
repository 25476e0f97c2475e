import type { Chain } from '@svc/wallet/core'
import type { BlockTime, PriceBand, PriceDoubt, PriceMemory, RpcPool, Sighting, UsdPrice } from '../ports.ts'
import { type BlockReads, createBlockReads, joinQueries, knownQuery } from '../rpc/query.ts'
import { discoverPrice, dollarTokens, type Market, readPoints } from './discover-price.ts'
import {
  feedQuery,
  sequencerQuery,
  pastTimes,
  type PastTimes,
  type PoolNow,
  poolQuery,
  readPastOfPool,
} from './source-queries.ts'
import type { SequencerReading } from './band/feed-witness.ts'
import { createNamedPrices, type NamedReading, type PriceVerdict } from './band/price-band.ts'
import type { NamedToken, NamedTokens, PoolPlace, PricedToken } from './named-tokens.ts'
import type { PoolReading, PoolSnapshot, PoolSums } from './band/pool-reading.ts'
import type { Hex } from 'viem'
import type { SeenBand } from './band/price-range.ts'

/** The prices of a chain at one block; each source is read once, however many prices it is part of. */
export function createChainPrices(chain: Chain, head: BlockTime, context: ChainPricesContext): ChainPrices {
  const { memory } = context
  const atSeconds = Number(head.timestamp)
  const reads = createBlockReads(context.rpc, chain, head)
  const times = pastTimes(head.number, chain, context.pickInt)
  const once = keepAnswers()

  const reading = (token: NamedToken): Promise<NamedReading> =>
    once(`sources of ${token.key}`, () => readNamed(token, { chain, reads, times, memory }))
  const sequencer = (): Promise<SequencerReading | null> =>
    once('sequencer', async () => {
      const { sequencerUptimeFeed: row } = chain
      return row === undefined ? null : reads.now(sequencerQuery(row))
    })

  async function verdict(token: PricedToken): Promise<PriceVerdict | null> {
    const named = context.namedTokens(chain, token)
    if (named.length === 0) return null
    const [uptime, ...found] = await Promise.all([sequencer(), ...named.map(reading)])
    const tokens = new Map(found.map((one, index) => [named[index]?.key ?? '', one]))
    const key = token.address.toLowerCase()
    const judged = createNamedPrices({ atSeconds, sequencer: uptime, pushBudgetUsd: context.pushBudgetUsd(), tokens })(
      key,
    )
    remember(key, judged, found)
    return judged
  }

  /** Keeps what was read for the price anyway. */
  function remember(key: string, judged: PriceVerdict, found: readonly NamedReading[]): void {
    const pools = found.flatMap((one) => one.pools)
    // Of a v4 pool, which sums nothing up, later means use no sighting.
    const sightings = pools.flatMap(({ row, now }) => (now?.sums == null ? [] : [sightingOfPool(row.id, now)]))
    const bands = judged.isSettled && judged.band !== null ? [sightingOfBand(key, judged.band, atSeconds)] : []
    memory?.keep(chain, [...sightings, ...bands])
  }

  const market: Market = {
    native: chain.wrappedNative,
    dollars: dollarTokens(chain),
    verdict: (token) => once(`verdict on ${token.address}`, () => verdict(token)),
    points: (token, quote) =>
      once(`pools of ${token.address} ${quote.address}`, () =>
        readPoints(chain, reads, times, context.discoverable(chain, token, quote)),
      ),
  }

  const discovered = (token: PricedToken) =>
    once(`discovered price of ${token.address}`, () => discoverPrice(token, market, context.leastLiquidityUsd))

  async function price(token: PricedToken): Promise<UsdPrice | null> {
    const judged = await market.verdict(token)
    const readAt = { readAt: atSeconds, blockNumber: head.number }
    if (judged !== null && judged.band !== null) return { ...namedPrice(judged, judged.band), ...readAt }
    const { chosen, mostE18, isPastless } = await discovered(token)
    if (chosen === null) return null
    // Pools of strangers say nothing that counts of a token whose named sources are silent.
    const unknown =
      judged === null
        ? { doubt: doubtOfUnnamed(isPastless), mostE18 }
        : { doubt: judged.doubt, witnesses: judged.witnesses, mostE18: null }
    return { ...chosen, band: null, ...unknown, ...readAt }
  }

  async function doubt(token: PricedToken): Promise<PriceDoubt | null> {
    const judged = await market.verdict(token)
    return judged === null ? doubtOfUnnamed((await discovered(token)).isPastless) : judged.doubt
  }

  return {
    usd: (token) => once(`price of ${token.address}`, () => price(token)),
    doubt,
  }
}

export type ChainPrices = {
  usd(token: PricedToken): Promise<UsdPrice | null>
  doubt(token: PricedToken): Promise<PriceDoubt | null>
}

export type ChainPricesContext = {
  readonly rpc: Pick<RpcPool, 'client' | 'past'>
  readonly memory: PriceMemory | null
  readonly namedTokens: NamedTokens
  readonly discoverable: (chain: Chain, token: PricedToken, quote: PricedToken) => readonly PoolPlace[]
  readonly pushBudgetUsd: () => number
  readonly leastLiquidityUsd: number
  readonly pickInt: (below: number) => number
}

function doubtOfUnnamed(isPastless: boolean): PriceDoubt {
  return isPastless ? 'pastless' : 'unnamed'
}

function namedPrice(
  { method, pools, confidence, witnesses }: PriceVerdict,
  band: NonNullable<PriceVerdict['band']>,
): Omit<UsdPrice, 'readAt' | 'blockNumber'> {
  const usd = Number(band.midE18) / 1e18
  const liquidityUsd = Number(band.depthUsdMicros) / 1e6
  return { usd, band, doubt: null, witnesses, mostE18: null, method, pools, liquidityUsd, confidence }
}

/** Keeps answers by name; a failed one is asked for again. */
function keepAnswers(): <Answer>(name: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const kept = new Map<string, Promise<unknown>>()
  return <Answer>(name: string, ask: () => Promise<Answer>) => {
    const known = kept.get(name)
    if (known !== undefined) return known as Promise<Answer>
    const answer = ask()
    kept.set(name, answer)
    answer.catch(() => kept.delete(name))
    return answer
  }
}

/**
 * What the named sources of a token say at a block and said before it. Everything is asked for at once; what the server
 * remembers is looked up meanwhile.
 *
 * @throws ToolError `RPC_*`
 */
async function readNamed(token: NamedToken, { chain, reads, times, memory }: NamedContext): Promise<NamedReading> {
  const atSeconds = Number(reads.head.timestamp)
  const known = token.pools.filter(({ fault }) => fault === null)
  const subjects = [tokenSubject(token.key), ...known.map(({ row }) => poolSubject(row.id))]
  const [[feed, now], past, sightings] = await Promise.all([
    reads.now(
      joinQueries([
        token.feed === undefined ? knownQuery(null) : feedQuery(token.feed),
        joinQueries(known.map((place) => poolQuery(chain, place, atSeconds, times))),
      ] as const),
    ),
    Promise.all(known.map((place) => readPastOfPool(chain, reads, place, times))),
    recall(memory, chain, subjects, atSeconds),
  ])
  const pools = token.pools.map((place): PoolReading => {
    const index = known.indexOf(place)
    const seen = (sightings.get(poolSubject(place.row.id)) ?? []).flatMap((one) => poolOfSighting(one) ?? [])
    return { ...readingOf(place), ...(now[index] ?? nothing), older: past[index] ?? [], seen }
  })
  const seen = (sightings.get(tokenSubject(token.key)) ?? []).flatMap((one) => bandOfSighting(one) ?? [])
  return { usdPegged: token.usdPegged, feed, expected: token.expected, pools, seen }
}

type NamedContext = {
  readonly chain: Chain
  readonly reads: BlockReads
  readonly times: PastTimes
  readonly memory: PriceMemory | null
}

const nothing: PoolNow = { now: null, held: null, observed: [], recalled: [] }

function readingOf({
  row,
  quoteKey,
  side,
  fault,
}: PoolPlace): Pick<PoolReading, 'row' | 'quoteKey' | 'side' | 'fault'> {
  return { row, quoteKey, side, fault }
}

/** By subject; what was seen in this very block is no past. A memory that fails remembers nothing. */
async function recall(
  memory: PriceMemory | null,
  chain: Chain,
  subjects: readonly string[],
  atSeconds: number,
): Promise<ReadonlyMap<string, readonly Sighting[]>> {
  const sightings = (await memory?.recall(chain, subjects).catch(() => [])) ?? []
  const earlier = sightings.filter((sighting) => sighting.atSeconds < atSeconds)
  return new Map(subjects.map((subject) => [subject, earlier.filter((sighting) => sighting.subject === subject)]))
}

/** Under which name a pool is remembered. */
export function poolSubject(id: Hex): string {
  return `pool ${id.toLowerCase()}`
}

/** Under which name a token's bands are remembered; `key` is its address in lower case. */
export function tokenSubject(key: string): string {
  return `token ${key}`
}

export function sightingOfPool(id: Hex, { atSeconds, sqrtPriceX96, liquidity, sums }: PoolSnapshot): Sighting {
  const { kind: _, ...summed } = sums ?? { kind: null }
  return { subject: poolSubject(id), atSeconds, values: { sqrtPriceX96, liquidity, ...summed } }
}

/** `null` for what was not kept of a pool. */
export function poolOfSighting({ atSeconds, values }: Sighting): PoolSnapshot | null {
  const { sqrtPriceX96, liquidity } = values
  if (sqrtPriceX96 === undefined || liquidity === undefined) return null
  return { atSeconds, sqrtPriceX96, liquidity, sums: sumsOf(values) }
}

export function sightingOfBand(key: string, band: PriceBand, atSeconds: number): Sighting {
  const { lowE18, highE18, midE18 } = band
  return { subject: tokenSubject(key), atSeconds, values: { lowE18, highE18, midE18 } }
}

/** `null` for what was not kept of a token. */
export function bandOfSighting({ atSeconds, values }: Sighting): SeenBand | null {
  const { lowE18, highE18, midE18 } = values
  if (lowE18 === undefined || highE18 === undefined || midE18 === undefined) return null
  return { atSeconds, lowE18, highE18, midE18 }
}

function sumsOf(values: Sighting['values']): PoolSums | null {
  const { tick, perLiquidityX128, price0X112, price1X112 } = values
  if (tick !== undefined && perLiquidityX128 !== undefined) return { kind: 'ticks', tick, perLiquidityX128 }
  if (price0X112 !== undefined && price1X112 !== undefined) return { kind: 'prices', price0X112, price1X112 }
  return null
}
