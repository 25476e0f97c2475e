import type { Devnet } from '@svc/devnet'
import type { ChainToken, ReferencePool, UsdFeed } from '@svc/wallet/core'
import { createPriceMemory } from '../../../../adapters/prices/create-price-memory.ts'
import { mostJitterSeconds } from '../../../../adapters/prices/past-blocks.ts'
import { createPricedDevnet } from '../../../../adapters/prices/priced-devnet.fixture.ts'
import type { PriceMemory, Sighting } from '../../../../ports/prices.ts'
import { pushBudgetUsd } from '../guards/named-prices.fixture.ts'
import type { Replayable, StandingToken } from '../programs/replayable.fixture.ts'
import type { ChainMarket, ChainPool } from './open-market.fixture.ts'

/**
 * The server's prices on the local chain, over the sources that the search names for the same tokens, with a memory of its own. The
 * endpoint keeps as many blocks as that of the search.
 *
 * @param sightings what the server has seen before
 */
export function openPrices(devnet: Devnet, market: ChainMarket, options: PricesOptions): ChainPrices {
  const { blockSeconds, pastBlocks: keptBlocks, sightings } = options
  const moment = { seconds: 0, block: 0 }
  const seen: Sighting[] = []
  const memory = createPriceMemory({ store: () => null, now: () => moment.seconds * 1000 })
  const noting: PriceMemory = {
    recall: (chain, subjects) => memory.recall(chain, subjects),
    keep(chain, kept) {
      seen.push(...kept)
      memory.keep(chain, kept)
    },
  }
  const tokens = [...market.tokens.values()].map((token) => rowOf(devnet, market, token))
  const wrappedNative = tokens.find(({ symbol }) => symbol === 'WETH') ?? devnet.chain.wrappedNative
  const chain = { tokens, wrappedNative, blockTimeSeconds: blockSeconds }
  // Which older blocks are read follows from the block, as in the search.
  const pickInt = () => moment.block % mostJitterSeconds
  const priced = createPricedDevnet(devnet, { chain, memory: noting, keptBlocks, pickInt, pushBudgetUsd })
  priced.network.losesPast = true
  return {
    ...priced,
    seen,
    standAt(seconds, block) {
      const isFirst = moment.seconds === 0
      Object.assign(moment, { seconds, block })
      if (isFirst) noting.keep(priced.chain, sightings)
    },
  }
}

export type PricesOptions = Pick<Replayable, 'blockSeconds' | 'pastBlocks'> & {
  readonly sightings: readonly Sighting[]
}

export type ChainPrices = ReturnType<typeof createPricedDevnet> & {
  /** All that was seen so far, what was seen before included. */
  readonly seen: readonly Sighting[]
  /** Sets the clock of the memory, and the number that the search has for the head. */
  standAt(this: void, seconds: number, block: number): void
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
