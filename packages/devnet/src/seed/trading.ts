import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { arbitrageCall, swapCall } from './pool-calls.ts'
import type { Call, BlockWriter } from '../chain/block-writer.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { type LiveMarket, createRandom, type Random, type UsdPrices, createMarket, unitsFor } from './market.ts'
import { duePosts, type FeedAnswers } from '../feeds/create-feeder.ts'

/** Trading by other people on a running chain: a number of trades at once, or one every so often until stopped. */
export function createTrading(chain: {
  readonly layout: Layout
  readonly market: LiveMarket
  readonly send: (call: Call) => Promise<void>
  /** Lets the price feeds answer what the market has come to. */
  readonly postDue: () => Promise<void>
}): Trading {
  const running = new Set<Trader>()
  const trade = async (count: number, seed: string, pools?: readonly Hex[]) => {
    const next = openSession(chain, seed, pools)
    for (let i = 0; i < count; i++) await next()
  }
  const startTrader = (options: TraderOptions): Trader => {
    const halt = new AbortController()
    let [trades, left] = [0, Infinity]
    const work = async () => {
      const next = openSession(chain, String(options.seed), options.pools)
      while (!halt.signal.aborted) {
        if (left > 0) {
          await next()
          trades += 1
          left -= 1
        }
        await sleep(options.intervalMs, null, { signal: halt.signal }).catch(() => {})
      }
    }
    const finished = work()
    // Whoever stops the trader learns of its failure; until then it must not end the process.
    finished.catch(() => {})
    const trader: Trader = {
      trades: () => trades,
      atMost: async (most, during) => {
        left = most
        try {
          return await during()
        } finally {
          left = Infinity
        }
      },
      stop: async () => {
        halt.abort()
        running.delete(trader)
        await finished
      },
    }
    running.add(trader)
    return trader
  }
  const stopAll = async () => void (await Promise.allSettled([...running].map(async (trader) => await trader.stop())))
  const move = async (factors: MarketMove) => {
    chain.market.usd = moved(chain.market.usd, factors)
    await chain.send(arbitrageCall(chain.layout, chain.market.usd))
    await chain.postDue()
  }
  return { trade, startTrader, stopAll, move }
}

export type Trading = {
  /** So many trades now, each in its block. The same seed on the same state gives the same trades. */
  readonly trade: (count: number, seed: string, pools?: readonly Hex[]) => Promise<void>
  readonly startTrader: (options: TraderOptions) => Trader
  readonly stopAll: () => Promise<void>
  /** Moves the market at once, and arbitrage and the price feeds after it. */
  readonly move: (factors: MarketMove) => Promise<void>
}

/** By what a price is multiplied; WETH goes with ETH. */
export type MarketMove = Readonly<Partial<Record<'ETH' | 'WBTC' | 'USDC' | 'USDT' | 'DAI', number>>>

export type TraderOptions = {
  readonly seed: string | number
  /** Pause between two trades. */
  readonly intervalMs: number
  /** Trades in these pools only, by id; all when absent. */
  readonly pools?: readonly Hex[]
}

export type Trader = {
  /** Waits for the trade under way. Rejects when trading had failed. */
  stop(): Promise<void>
  /** How many trades were mined so far. */
  trades(): number
  /** Trades no more often than this while something is done, however long that takes on a busy machine. */
  atMost<Result>(trades: number, during: () => Promise<Result>): Promise<Result>
}

type Chain = Parameters<typeof createTrading>[0]

/** Each step moves the market a little, sends one trade and lets arbitrage and the price feeds follow. */
function openSession(chain: Chain, seed: string, ids: readonly Hex[] | undefined): () => Promise<void> {
  const { layout, market, send, postDue } = chain
  const pools = choosePools(layout, ids)
  const random = createRandom(`${seed}:trader`)
  return async () => {
    market.usd = nextPrices(market.usd, random)
    await send(randomSwap(layout, pickPool(pools, random), market.usd, random))
    await send(arbitrageCall(layout, market.usd, new Set(pools)))
    await postDue()
  }
}

function choosePools(layout: Layout, ids: readonly Hex[] | undefined): readonly PlacedPool[] {
  if (!ids) return layout.pools
  return ids.map((id) => {
    const pool = layout.pools.find((each) => each.id.toLowerCase() === id.toLowerCase())
    if (!pool) throw new Error(`The local chain has no pool ${id}`)
    return pool
  })
}

/** A pool by its share of the trades. */
function pickPool(pools: readonly PlacedPool[], random: Random): PlacedPool {
  let left = random.next() * pools.reduce((sum, pool) => sum + pool.perHour, 0)
  const picked = pools.find((pool) => (left -= pool.perHour) < 0) ?? pools.at(-1)
  if (!picked) throw new Error('Trading needs at least one pool')
  return picked
}

/** 3 basis points per trade: a hundred trades move ether as an hour of the history does. */
const tradeSigma = 0.0003

function nextPrices(usd: UsdPrices, random: Random): UsdPrices {
  const factor = Math.exp(tradeSigma * random.normal())
  return moved(usd, { ETH: factor, WBTC: factor })
}

function moved(usd: UsdPrices, { ETH = 1, WBTC = 1, USDC = 1, USDT = 1, DAI = 1 }: MarketMove): UsdPrices {
  const ether = usd.ETH * ETH
  const dollars = { USDC: usd.USDC * USDC, USDT: usd.USDT * USDT, DAI: usd.DAI * DAI }
  return { ...usd, ...dollars, ETH: ether, WETH: ether, WBTC: usd.WBTC * WBTC }
}

/**
 * What happens on the chain within one hour: people trade in the pools, and arbitrage follows the market's prices at
 * the hour's end. The same seed and hour give the same calls.
 */
export function tradingHour(
  layout: Layout,
  hour: { readonly seed: string; readonly hour: number; readonly usd: UsdPrices },
) {
  const random = createRandom(`${hour.seed}:hour:${hour.hour}`)
  const swaps = layout.pools.flatMap((pool) =>
    Array.from({ length: tradesThisHour(pool, random) }, () => randomSwap(layout, pool, hour.usd, random)),
  )
  return [...swaps, arbitrageCall(layout, hour.usd)]
}

/** A trade of random size and direction by a random trader. */
function randomSwap(layout: Layout, pool: PlacedPool, usd: UsdPrices, random: Random): Call {
  const { traders, bank } = layout.roles
  const from = traders[random.below(traders.length)] ?? bank
  const zeroForOne = random.next() < 0.5
  // Log-normal with the pool's mean: exp(sigma^2 / 2) is the mean of exp(sigma * normal).
  const drawnUsd = pool.meanUsd * Math.exp(sizeSigma * random.normal() - sizeSigma ** 2 / 2)
  const amountUsd = Math.min(drawnUsd, pool.tvlUsd * largestShare)
  const amountIn = unitsFor(zeroForOne ? pool.asset0 : pool.asset1, amountUsd, usd)
  return swapCall(layout, pool, { from, zeroForOne, amountIn })
}

/** Spread of trade sizes: one in six is more than twice the median. */
const sizeSigma = 0.8

/** No single trade is larger than this share of what the pool was given: nobody empties a pool in one go. */
const largestShare = 0.12

/** The whole part of the rate every hour, the rest by chance. */
function tradesThisHour(pool: PlacedPool, random: Random): number {
  return Math.floor(pool.perHour) + (random.next() < pool.perHour % 1 ? 1 : 0)
}

/** The hours of the history: thirty days. */
export const historyHours = 720

/** The prices of ether and the rest are those of `pricesNow` when the history ends. The seed was chosen for a calm month. */
export const history = { seed: '45', nowHour: historyHours } as const

/**
 * Writes the hours `first` to `last` of trading, a block each, in which the price feeds follow the market. Hour h of the history ends h hours after
 * `hourZeroTimestamp` (unix seconds), and its block comes in its last quarter.
 */
export async function tradeHours(
  writer: BlockWriter,
  options: {
    readonly layout: Layout
    readonly hourZeroTimestamp: number
    readonly first: number
    readonly last: number
    /** What the feeds said before. */
    readonly answers: FeedAnswers
    readonly onHour?: (hour: number) => void
  },
): Promise<void> {
  const market = createMarket(history)
  let { answers } = options
  for (let hour = options.first; hour <= options.last; hour++) {
    options.onHour?.(hour)
    const usd = market.pricesAt(hour)
    const calls = tradingHour(options.layout, { seed: history.seed, hour, usd })
    const early = createRandom(`${history.seed}:time:${hour}`).below(900)
    const timestamp = options.hourZeroTimestamp + hour * 3_600 - early
    const posts = duePosts(options.layout, { last: answers, usd, timestamp })
    answers = posts.last
    await writer.writeBlock([...calls, ...posts.calls], timestamp)
  }
}
