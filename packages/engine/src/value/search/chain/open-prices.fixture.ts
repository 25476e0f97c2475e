import type { Devnet } from '@svc/devnet'
import type { ChainToken, ReferencePool, UsdFeed } from '@svc/wallet/core'
import { type ConfirmedSources, createPriceMemory } from '@svc/amm/prices'
import { createPricedDevnet, type PricedDevnet } from '../../../../../amm/src/prices/priced-devnet.fixture.ts'
import type { PriceMemory } from '@svc/amm'
import type { Sighting } from '../../../../../amm/src/ports/prices.ts'
import { expectedOf, pickAt, pushBudgetUsd } from '../guards/named-prices.fixture.ts'
import type { Replayable, StandingToken } from '../programs/replayable.fixture.ts'
import type { Step } from '../world/sim-world.fixture.ts'
import type { ChainMarket, ChainPool } from './open-market.fixture.ts'

/**
 * The server's prices on the local chain, over the sources that the search names for the same tokens, with a memory of its own. The
 * endpoint keeps as many blocks as that of the search.
 */
export function openPrices(devnet: Devnet, market: ChainMarket, options: PricesOptions): ChainPrices {
  const { blockSeconds, pastBlocks: keptBlocks } = options
  const head = { seconds: 0, block: 0 }
  const memory = createPriceMemory({ store: () => null, now: () => head.seconds * 1000 })
  const seen: Sighting[] = []
  const noting: PriceMemory = {
    recall: (of, subjects) => memory.recall(of, subjects),
    keep(of, sightings) {
      seen.push(...sightings)
      memory.keep(of, sightings)
    },
  }
  const listed = [...market.tokens.values()].filter(({ own }) => !own)
  const tokens = listed.map((token) => rowOf(devnet, market, token))
  const confirmed = createConfirmed(tokens, listed)
  const wrappedNative = tokens.find(({ symbol }) => symbol === 'WETH') ?? devnet.chain.wrappedNative
  const row = { tokens, wrappedNative, blockTimeSeconds: blockSeconds }
  // Which older blocks are read follows from the block, as in the search.
  const pickInt = (below: number) => pickAt(head.block)(below)
  const priced = createPricedDevnet(devnet, {
    chain: row,
    memory: noting,
    keptBlocks,
    pickInt,
    pushBudgetUsd: () => pushBudgetUsd,
    confirmed,
  })
  const { chain, prices, rpc, network } = priced
  network.losesPast = true
  noting.keep(chain, options.sightings)

  async function standAt({ block }: Step): Promise<number> {
    const { timestamp } = await rpc.head(chain)
    Object.assign(head, { seconds: Number(timestamp), block: block - 1 })
    return head.seconds
  }

  return {
    chain,
    prices,
    standAt,
    async look(step) {
      await standAt(step)
      for (const { address } of tokens) await prices.usd(chain, await priced.byAddress(chain, address))
    },
    seen: () => [...seen],
  }
}

export type PricesOptions = Pick<Replayable, 'blockSeconds' | 'pastBlocks'> & {
  /** What the server has seen before. */
  readonly sightings: readonly Sighting[]
}

export type ChainPrices = Pick<PricedDevnet, 'chain' | 'prices'> & {
  /** Comes to the chain's head, of which the search begins a block; gives its time in unix seconds. */
  standAt(this: void, step: Step): Promise<number>
  /** Reads all prices at the head, as a server does for a call, and remembers them. */
  look(this: void, step: Step): Promise<void>
  /** All that was seen so far, what was seen before included. */
  seen(this: void): readonly Sighting[]
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

/** The rows of the tokens, and between which prices the operator expects them. */
function createConfirmed(rows: readonly ChainToken[], standing: readonly StandingToken[]): ConfirmedSources {
  const named = rows.flatMap(({ address, priceSources }, index) => {
    const { startUsd = 0 } = standing[index] ?? {}
    return priceSources === undefined ? [] : [[address, { ...priceSources, expected: expectedOf(startUsd) }] as const]
  })
  const byAddress = new Map<string, ReturnType<ConfirmedSources>>(named)
  return (_chainId, token) => byAddress.get(token)
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
