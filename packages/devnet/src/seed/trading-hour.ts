import { arbitrageCall } from './arbitrage-call.ts'
import type { Call } from '../chain/block-writer.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { type UsdPrices, unitsFor } from './prices.ts'
import { createRandom, type Random } from './random.ts'
import { swapCall } from './swap-call.ts'

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
