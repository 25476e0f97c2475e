import type { HistoryRequest, PoolBars, Ports } from '../../ports.ts'
import { subgraphLag } from '../subgraph/subgraph-lag.ts'
import type { AskSubgraph } from '../subgraph/create-subgraphs.ts'
import { barGrid } from './bar-grid.ts'
import { barsOfPeriods } from './bars-of-periods.ts'
import { readPeriods } from './read-periods.ts'

/**
 * The history of a pool out of the hours or days that a subgraph keeps. Which side of a trade came in, it does not tell: the inputs
 * of a bar follow from its volume and from what the price moved, so they are estimates. Hours without a row are taken to be quiet.
 *
 * @throws SubgraphError where it cannot be had, or is too far behind the chain; `RPC_*` where the head is not known
 */
export async function readSubgraphHistory(
  ports: Pick<Ports, 'rpc'>,
  ask: AskSubgraph,
  { chain, pool, from, to, barSeconds }: HistoryRequest & { readonly barSeconds: 3_600 | 86_400 },
): Promise<PoolBars> {
  const grid = barGrid(from, to, barSeconds)
  const [{ meta, before, periods }, head] = await Promise.all([
    readPeriods(ask, pool, { ...grid, barSeconds }),
    ports.rpc.head(chain),
  ])
  const lag = subgraphLag(meta, head, chain, to)
  const { bars, figures, gapsAt, notes } = barsOfPeriods(pool, before, periods, grid)
  const barsFound = bars.startsAt.length
  const missing = grid.count - barsFound
  const told = [
    ...(lag > toldLagSeconds ? [`The subgraph is ${lag} seconds behind the chain.`] : []),
    ...(missing > 0 ? [`The subgraph tells nothing of the first ${missing} bars.`] : []),
    ...notes,
  ]
  return {
    bars,
    figures,
    source: 'subgraph',
    completeness: {
      barsExpected: grid.count,
      barsFound,
      hasAllTrades: notes.length === 0,
      gaps: gapsAt.length,
      gapsAt,
      note: told.length === 0 ? null : told.join(' '),
    },
    isEstimate: true,
  }
}

const toldLagSeconds = 60
