import type { HistoryRequest, PoolBars, Ports } from '../../ports.ts'
import { SubgraphError } from '../subgraph/subgraph-error.ts'
import { subgraphLag } from '../subgraph/subgraph-lag.ts'
import type { AskSubgraph } from '../subgraph/create-subgraphs.ts'
import { barGrid } from './bar-grid.ts'
import { barsOfPeriods } from './bars-of-periods.ts'
import { dollarSides } from './dollar-sides.ts'
import { requirePriceOfPool } from './price-of-subgraph.ts'
import { readPeriods } from './read-periods.ts'

/**
 * The history of a pool out of the hours or days that a subgraph keeps. Which side of a trade came in, it does not tell: the inputs
 * of a bar follow from its volume and from what the price moved, so they are estimates. Hours without a row are gaps, taken to be quiet.
 *
 * @throws SubgraphError where it cannot be had, is too far behind the chain or ahead of it, where more than a tenth of its periods are
 * such as no pool can have, or its last price is not that of the pool; `RPC_*` where the head or prices are not known
 */
export async function readSubgraphHistory(
  ports: Pick<Ports, 'rpc' | 'prices'>,
  ask: AskSubgraph,
  { chain, pool, from, to, barSeconds }: SubgraphRequest,
): Promise<PoolBars> {
  const grid = barGrid(from, to, barSeconds)
  const [{ meta, before, periods }, head, price0, price1] = await Promise.all([
    // One bar more: where the period ends now, that is where the last price stands.
    readPeriods(ask, pool, { ...grid, count: grid.count + 1, barSeconds }),
    ports.rpc.head(chain),
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const lag = subgraphLag(meta, head, chain, to)
  const read = barsOfPeriods(pool, before, periods, grid, dollarSides(pool, price0, price1))
  const { bars, figures, gapsAt, absurd, newest } = read
  if (absurd > mostAbsurd * periods.length) throw new SubgraphError('malformed', 'told figures that no pool can have')
  const headTime = Number(head.timestamp)
  const isUpToNow = grid.start + (grid.count + 1) * barSeconds > headTime
  if (newest !== null && isUpToNow) requirePriceOfPool(newest, pool, { headTime, barSeconds })
  const barsFound = bars.startsAt.length
  return {
    bars,
    figures,
    source: 'subgraph',
    completeness: {
      barsExpected: grid.count,
      barsFound,
      hasAllTrades: absurd === 0,
      gaps: gapsAt.length,
      gapsAt,
      note: noteOf({ lag, missing: grid.count - barsFound, absurd, gaps: gapsAt.length }),
    },
    isEstimate: true,
  }
}

export type SubgraphRequest = HistoryRequest & { readonly barSeconds: 3_600 | 86_400 }

function noteOf(found: { lag: number; missing: number; absurd: number; gaps: number }): string | null {
  const told = [
    ...(found.lag > toldLagSeconds ? [`The subgraph is ${found.lag} seconds behind the chain.`] : []),
    ...(found.missing > 0 ? [`The subgraph tells nothing of the first ${found.missing} bars.`] : []),
    ...(found.absurd > 0 ? [`${found.absurd} periods with absurd figures were left out.`] : []),
    ...(found.gaps > 0
      ? [`The subgraph has nothing of ${found.gaps} bars: they were taken to be without a trade.`]
      : []),
  ]
  return told.length === 0 ? null : told.join(' ')
}

/** Of its periods. */
const mostAbsurd = 0.1
const toldLagSeconds = 60
