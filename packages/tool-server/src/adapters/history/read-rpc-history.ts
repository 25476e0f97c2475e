import type { Chain } from '@svc/wallet/core'
import type { HistoryRequest, Pool, PoolBars, Ports, UsdPrice } from '../../ports.ts'
import { barGrid } from './bar-grid.ts'
import type { HistoryPorts } from './create-pool-history.ts'
import { barsOfSwaps, type TradedBars } from './bars-of-swaps.ts'

/**
 * The history of a pool out of its swap logs: exact inputs, prices, liquidity and fees of every swap, as far back as the budget of
 * requests goes. Dollars are those of the token that a dollar is pegged to, at the prices of each bar; without such a token, of
 * today's price of the other. What the pool held in the past is not in its swap logs.
 *
 * @throws ToolError `RPC_*`
 */
export async function readRpcHistory(
  ports: Omit<HistoryPorts, 'rpc'>,
  { chain, pool, from, to, barSeconds }: HistoryRequest,
): Promise<PoolBars> {
  const grid = barGrid(from, to, barSeconds)
  const wanted = grid.start - openingSeconds
  const { swaps, completeFrom, complete } = await ports.liquidity.swaps(chain, pool, wanted, to)
  const known = complete ? wanted : completeFrom
  const whole = barGrid(Math.max(grid.start, Math.ceil(known / barSeconds) * barSeconds), to, barSeconds)
  const traded = barsOfSwaps(
    pool,
    swaps.filter((swap) => swap.timestamp >= known),
    whole,
  )
  const barsFound = traded.bars.startsAt.length
  return {
    bars: traded.bars,
    figures: await dollarsOf(ports, chain, pool, traded),
    source: 'rpc',
    completeness: {
      barsExpected: grid.count,
      barsFound,
      gaps: 0,
      gapsAt: [],
      note: noteOf({ isShort: known > grid.start, known, missing: grid.count - barsFound }),
    },
    isEstimate: pool.hooks !== null,
  }
}

/** How much earlier to look for the swap that set the price of the first bar. */
const openingSeconds = 6 * 3_600

function noteOf(found: { isShort: boolean; known: number; missing: number }): string | null {
  if (found.isShort) {
    const since = new Date(found.known * 1_000).toISOString()
    return `The swap logs were read back to ${since} only: the endpoint takes too many requests for more.`
  }
  if (found.missing === 0) return null
  return `The price is unknown in the first ${found.missing} bars: no trade set it then.`
}

type Side = { readonly isToken1: boolean; readonly usd: number; readonly decimals: number }

async function dollarsOf(
  ports: Pick<Ports, 'prices'>,
  chain: Chain,
  pool: Pool,
  { bars, fees0, fees1, trades }: TradedBars,
): Promise<PoolBars['figures']> {
  const [price0, price1] = await Promise.all([
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const side = countedSide(pool, price0, price1)
  if (side === null) return { volumeUsd: null, feesUsd: null, tvlUsd: null, trades }
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

function countedSide(pool: Pool, price0: UsdPrice | null, price1: UsdPrice | null): Side | null {
  const side0 = price0 === null ? null : { isToken1: false, usd: price0.usd, decimals: pool.token0.decimals }
  const side1 = price1 === null ? null : { isToken1: true, usd: price1.usd, decimals: pool.token1.decimals }
  return (pool.token0.usdPegged ? side0 : null) ?? (pool.token1.usdPegged ? side1 : null) ?? side1 ?? side0
}
