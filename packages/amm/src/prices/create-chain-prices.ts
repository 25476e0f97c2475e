import type { Chain } from '@svc/wallet/core'
import type { BlockTime, PriceDoubt, PriceMemory, RpcPool, UsdPrice } from '../ports.ts'
import { createBlockReads } from '../rpc/create-block-reads.ts'
import { discoverPrice, dollarTokens, type Market } from './discover-price.ts'
import { sequencerQuery } from './feed-query.ts'
import type { SequencerReading } from './band/feed-witness.ts'
import { createNamedPrices, type NamedReading } from './band/named-price.ts'
import type { NamedToken, NamedTokens, PoolPlace, PricedToken } from './named-tokens.ts'
import { pastTimes } from './past-times.ts'
import type { PriceVerdict } from './band/price-band.ts'
import { readNamed } from './read-named.ts'
import { readPoints } from './read-points.ts'
import { sightingOfBand, sightingOfPool } from './sightings.ts'

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
