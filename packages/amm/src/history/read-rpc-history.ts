import type { BarStore } from './bars/create-bar-memory.ts'
import type { HistoryPorts, HistoryRequest, Pool, PoolBars, UsdPrice } from '../ports.ts'
import { barGrid } from './bars/bar-grid.ts'
import { dollarSides } from './periods/dollar-sides.ts'
import { readTradedBars } from './bars/read-traded-bars.ts'
import type { TradedBars } from './bars/traded-bars.ts'

/**
 * The history of a pool out of its swap logs: exact inputs, prices, liquidity and fees of every swap, as far back as the budget of
 * requests goes. Dollars are those of the token that a dollar is pegged to, at the prices of each bar; without such a token, of
 * today's price of the other. Where a log does not follow from the one before it the answer is an estimate and says so. What the pool held in the past is not in its swap logs.
 *
 * @throws ToolError `RPC_*`
 */
export async function readRpcHistory(
  ports: Omit<HistoryPorts, 'rpc'>,
  kept: BarStore,
  request: HistoryRequest,
  nowMs: number,
): Promise<PoolBars> {
  const { chain, pool, from, to, barSeconds } = request
  const grid = barGrid(from, to, barSeconds)
  const [{ traded, knownFrom, breaks }, ...prices] = await Promise.all([
    readTradedBars(ports, kept, request, nowMs),
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const barsFound = traded.bars.startsAt.length
  const sum = (column: Float64Array) => column.reduce((total, value) => total + value, 0)
  const isHoley = breaks > sum(traded.trades) / 50
  return {
    bars: traded.bars,
    figures: dollarsOf(pool, prices, traded),
    source: 'rpc',
    completeness: {
      barsExpected: grid.count,
      barsFound,
      hasAllTrades: knownFrom <= grid.start && !isHoley,
      gaps: 0,
      gapsAt: [],
      note: noteOf({
        isShort: knownFrom > grid.start,
        knownFrom,
        missing: grid.count - barsFound,
        pricedFrom: traded.bars.startsAt[0] ?? grid.start,
        bound: sum(traded.bound),
        breaks,
      }),
    },
    isEstimate: pool.hooks !== null || breaks > 0,
  }
}

type Known = {
  isShort: boolean
  knownFrom: number
  missing: number
  pricedFrom: number
  bound: number
  breaks: number
}

function noteOf({ isShort, knownFrom, missing, pricedFrom, bound, breaks }: Known): string | null {
  const [since, priced] = [knownFrom, pricedFrom].map((seconds) => new Date(seconds * 1_000).toISOString())
  const notes = [
    ...(isShort
      ? [`The swap logs were read back to ${since} only: more would take too many requests to the endpoint.`]
      : missing === 0
        ? []
        : [
            `${missing === 1 ? 'A bar at the beginning is' : `${missing} bars at the beginning are`} left out: the price is known from ${priced} on.`,
          ]),
    ...(breaks > 0
      ? [
          `The swap logs do not fit together in ${breaks} ${breaks === 1 ? 'place' : 'places'}: trades may be missing there, or untrue.`,
        ]
      : []),
    ...(bound > 0 ? [boundNote(bound)] : []),
  ]
  return notes.length === 0 ? null : notes.join(' ')
}

function dollarsOf(
  pool: Pool,
  [price0, price1]: readonly [UsdPrice | null, UsdPrice | null],
  { bars, fees0, fees1, trades }: TradedBars,
): PoolBars['figures'] {
  const [side] = dollarSides(pool, price0, price1)
  if (side === undefined) return { volumeUsd: null, feesUsd: null, tvlUsd: null, trades }
  const worth = (index: number, amount0 = 0, amount1 = 0): number => {
    const price = 1.0001 ** (((bars.lowTick[index] ?? 0) + (bars.highTick[index] ?? 0)) / 2)
    const amount = side.isToken1 ? amount1 + amount0 * price : amount0 + amount1 / price
    return (amount / 10 ** side.decimals) * side.usd
  }
  return {
    volumeUsd: bars.amount0In.map((amount0, index) => worth(index, amount0, bars.amount1In[index])),
    feesUsd: fees0.map((amount0, index) => worth(index, amount0, fees1[index])),
    tvlUsd: null,
    trades,
  }
}

/** What is said beside fees where trades passed prices with next to no liquidity (`boundByInput` of `feeGrowthFromSwaps`). */
export function boundNote(swaps: number): string {
  return `${swaps === 1 ? 'One swap' : `${swaps} swaps`} passed prices with next to no liquidity: fees count there by what was paid in, not by the way of the price, and may be too low.`
}
