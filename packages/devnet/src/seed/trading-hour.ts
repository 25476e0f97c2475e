import type { BlockWriter, Call } from '../chain/block-writer.ts'
import { duePosts, type FeedAnswers } from '../feeds/feed-posts.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { createMarket, createRandom, type Random } from './market.ts'
import { arbitrageCall, swapCall } from './swap-call.ts'
import { type UsdPrices, unitsFor } from './prices.ts'

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
export function randomSwap(layout: Layout, pool: PlacedPool, usd: UsdPrices, random: Random): Call {
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
