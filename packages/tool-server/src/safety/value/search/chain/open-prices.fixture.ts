import type { Devnet } from '@svc/devnet'
import type { ChainToken, ReferencePool, UsdFeed } from '@svc/wallet/core'
import { createPriceMemory } from '../../../../adapters/prices/create-price-memory.ts'
import { mostJitterSeconds } from '../../../../adapters/prices/past-blocks.ts'
import { createPricedDevnet } from '../../../../adapters/prices/priced-devnet.fixture.ts'
import type { Sighting } from '../../../../ports/prices.ts'
import { pushBudgetUsd } from '../guards/named-prices.fixture.ts'
import type { Replayable, Standing, StandingToken } from '../programs/replayable.fixture.ts'
import type { ChainMarket, ChainPool } from './open-market.fixture.ts'

/**
 * The server's prices on the local chain, over the sources that the search names for the same tokens, with a memory that begins with
 * what the server had seen there. The endpoint keeps as many blocks as that of the search.
 */
export function openPrices(devnet: Devnet, market: ChainMarket, options: PricesOptions): ChainPrices {
  const { blockSeconds, pastBlocks: keptBlocks, since, shiftSeconds } = options
  const moment = { seconds: since.timestamp + shiftSeconds, block: since.block }
  const memory = createPriceMemory({ store: () => null, now: () => moment.seconds * 1000 })
  const tokens = [...market.tokens.values()].map((token) => rowOf(devnet, market, token))
  const wrappedNative = tokens.find(({ symbol }) => symbol === 'WETH') ?? devnet.chain.wrappedNative
  const chain = { tokens, wrappedNative, blockTimeSeconds: blockSeconds }
  // Which older blocks are read follows from the block, as in the search.
  const pickInt = () => moment.block % mostJitterSeconds
  const priced = createPricedDevnet(devnet, { chain, memory, keptBlocks, pickInt, pushBudgetUsd })
  priced.network.losesPast = true
  memory.keep(priced.chain, sightingsOf(since, shiftSeconds))
  return { ...priced, standAt: (seconds, block) => void Object.assign(moment, { seconds, block }) }
}

export type PricesOptions = Pick<Replayable, 'blockSeconds' | 'pastBlocks' | 'since'> & {
  /** How much later it is on the chain than in the search. */
  readonly shiftSeconds: number
}

export type ChainPrices = ReturnType<typeof createPricedDevnet> & {
  /** Sets the clock of the memory, and the number that the search has for the head. */
  standAt(this: void, seconds: number, block: number): void
}

function sightingsOf({ sightings }: Standing, shiftSeconds: number): readonly Sighting[] {
  return sightings.map(({ subject, atSeconds, values }) => {
    const numbers = Object.entries(values).map(([name, value]) => [name, BigInt(value)] as const)
    return { subject, atSeconds: atSeconds + shiftSeconds, values: Object.fromEntries(numbers) }
  })
}

/** The feed of the local chain that posts what is outside for a token of the search. */
export function feedOf(devnet: Devnet, symbol: string) {
  return { WETH: devnet.feeds.ETH, WBTC: devnet.feeds.BTC, TKN: devnet.feeds.DAI }[symbol] ?? null
}

function rowOf(devnet: Devnet, market: ChainMarket, token: StandingToken): ChainToken {
  const { symbol, address, decimals, usdPegged, feed: plan, namedPools } = token
  const pools = namedPools.flatMap((name) => market.pools.get(name) ?? []).map((pool) => referenceOf(token, pool))
  const feed = plan === null ? null : feedRow(devnet, symbol, plan)
  const isNamed = feed !== null || pools.length > 0
  const priceSources = { ...(feed && { feed }), ...(pools.length > 0 && { pools }) }
  return { symbol, name: symbol, address, decimals, usdPegged, ...(isNamed && { priceSources }) }
}

function feedRow(devnet: Devnet, symbol: string, plan: NonNullable<StandingToken['feed']>): UsdFeed | null {
  const address = feedOf(devnet, symbol)?.address
  const { heartbeatSeconds, deviationBps } = plan
  return address === undefined ? null : { address, heartbeatSeconds, deviationBps, decimals: 8 }
}

function referenceOf(
  { address }: StandingToken,
  { version, id, token0, token1, fee, tickSpacing }: ChainPool,
): ReferencePool {
  const quote = token0 === address ? token1 : token0
  return { version, id, quote, fee, ...(version === 'v4' && tickSpacing !== null && { tickSpacing }) }
}
