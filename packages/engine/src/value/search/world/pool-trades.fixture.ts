import { pairAmountOut, pairInputTo, swapInPair } from './sim-pair.fixture.ts'
import { rawPriceOf, sidesOf, sqrtPriceOfRaw, type SimPool } from './sim-pool.fixture.ts'
import { note, type SimWorld, type Step } from './sim-world.fixture.ts'
import { swapInTickPool, tickPoolOutputTo, tickPoolQuote } from './tick-pool.fixture.ts'

export type Traded = { readonly amountIn: bigint; readonly amountOut: bigint }

/** What an exact input gives now, without touching the pool. */
export function quoteIn(pool: SimPool, zeroForOne: boolean, amountIn: bigint): Traded {
  if (pool.version === 'v2') return { amountIn, amountOut: pairAmountOut(pool.pair, zeroForOne, amountIn) }
  return tickPoolQuote(pool.state, zeroForOne, amountIn)
}

/** Trades an exact input, or less of it where the price would pass `limit` (token1 for one token0, smallest units). */
export function trade(world: SimWorld, pool: SimPool, order: TradeOrder, who: Step['who']): Traded {
  const { zeroForOne, amountIn, limit } = order
  if (amountIn <= 0n) return nothing
  const traded =
    pool.version === 'v2'
      ? tradePair(pool, order, world.timestamp)
      : swapInTickPool(pool.state, {
          zeroForOne,
          amountIn,
          limit: sqrtPriceOfRaw(clamped(pool, zeroForOne, limit)),
          timestamp: world.timestamp,
        })
  world.changed.add(pool)
  const [tokenIn, tokenOut] = sidesOf(pool, zeroForOne)
  note(world, () => ({
    who,
    what: 'swap',
    pool: pool.name,
    amounts: {
      [`in ${tokenIn.symbol}`]: String(traded.amountIn),
      [`out ${tokenOut.symbol}`]: String(traded.amountOut),
    },
  }))
  return traded
}

type TradeOrder = { readonly zeroForOne: boolean; readonly amountIn: bigint; readonly limit?: number }

/** Trades until the pool has this price (token1 for one token0, smallest units), or `most` of the input is used up. */
export function swapToPrice(world: SimWorld, pool: SimPool, raw: number, who: Step['who'], most = unlimited): Traded {
  const zeroForOne = raw < rawPriceOf(pool)
  if (isEmptyUntil(pool, raw)) return nothing
  return trade(world, pool, { zeroForOne, amountIn: most, limit: raw }, who)
}

/** More than any pool takes. */
export const unlimited = 1n << 200n

const nothing: Traded = { amountIn: 0n, amountOut: 0n }

/** A price that nobody stands at moves for nothing, and earns nobody anything. */
function isEmptyUntil(pool: SimPool, raw: number): boolean {
  if (pool.version === 'v2') return false
  return pool.state.liquidity === 0n && tickPoolOutputTo(pool.state, sqrtPriceOfRaw(raw)) === 0n
}

function tradePair(pool: Extract<SimPool, { version: 'v2' }>, order: TradeOrder, timestamp: number): Traded {
  const { zeroForOne, amountIn, limit } = order
  const room = limit === undefined ? Infinity : pairInputTo(pool.pair, zeroForOne, limit)
  const taken = room < Number(amountIn) ? BigInt(Math.max(0, Math.floor(room))) : amountIn
  if (taken === 0n) return nothing
  return { amountIn: taken, amountOut: swapInPair(pool.pair, zeroForOne, taken, timestamp) }
}

/** No further than this: what lies beyond takes long to walk. */
function clamped(pool: SimPool, zeroForOne: boolean, limit: number | undefined): number {
  const price = rawPriceOf(pool)
  const far = zeroForOne ? Math.max(price / 1e15, leastRaw) : Math.min(price * 1e15, mostRaw)
  if (limit === undefined) return far
  return zeroForOne ? Math.max(limit, far) : Math.min(limit, far)
}

/** Within what a pool can have for a price. */
const [leastRaw, mostRaw] = [1e-37, 1e37]
