import type { HistoryRequest, PoolBars } from '../../ports.ts'
import { SubgraphError } from '../subgraph/subgraph-error.ts'
import { subgraphLag } from '../subgraph/subgraph-lag.ts'
import type { AskSubgraph } from '../subgraph/create-subgraphs.ts'
import { barGrid } from './bar-grid.ts'
import { barsOfPeriods, type SubgraphBars } from './bars-of-periods.ts'
import { checkPeriods, type Checked, type CheckOptions } from './check-periods.ts'
import type { HistoryPorts } from './create-pool-history.ts'
import { dollarSides } from './dollar-sides.ts'
import { requirePriceOfPool } from './price-of-subgraph.ts'
import { readPeriods, type Period } from './read-periods.ts'

/**
 * The history of a pool out of the hours or days that a subgraph keeps. Which side of a trade came in, it does not tell: the inputs
 * of a bar follow from its volume and from what the price moved, so they are estimates. Hours without a row are gaps, taken to be quiet.
 * A few periods are held against the swap logs (see `checkPeriods`), and the note says how many agreed.
 *
 * @throws SubgraphError where it cannot be had, is too far behind the chain or ahead of it, where more than a tenth of its periods are
 * such as no pool can have, one is not what the pool logged, or its last price is not that of the pool; `RPC_*` where the head or
 * prices are not known; `CANCELLED`
 */
export async function readSubgraphHistory(
  ports: HistoryPorts,
  ask: AskSubgraph,
  request: SubgraphRequest,
  checks: CheckOptions,
): Promise<PoolBars> {
  const { chain, pool, from, to, barSeconds } = request
  const grid = barGrid(from, to, barSeconds)
  const [{ meta, before, periods }, head, price0, price1] = await Promise.all([
    // One bar more: where the period ends now, that is where the last price stands.
    readPeriods(ask, pool, { ...grid, count: grid.count + 1, barSeconds }),
    ports.rpc.head(chain),
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const lag = subgraphLag(meta, head, chain, to)
  const sides = dollarSides(pool, price0, price1)
  const read = barsOfPeriods(pool, before, periods, grid, sides)
  const { bars, figures, gapsAt, absurd, newest } = read
  if (absurd > mostAbsurd * periods.length) throw new SubgraphError('malformed', 'told figures that no pool can have')
  const headTime = Number(head.timestamp)
  const isUpToNow = grid.start + (grid.count + 1) * barSeconds > headTime
  if (newest !== null && isUpToNow) requirePriceOfPool(newest, pool, { headTime, barSeconds })
  const barsFound = bars.startsAt.length
  const slots = closedSlots(read, periods, Math.min(headTime, to))
  const upTo = { timestamp: headTime - lag, blockNumber: meta.block.number }
  const checked = await checkPeriods(ports, request, { ...read, slots, upTo }, checks)
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
      note: noteOf({
        lag,
        missing: grid.count - barsFound,
        absurd,
        gaps: gapsAt.length,
        isPriced: sides.length > 0,
        ...checked,
        of: slots.length,
        barSeconds,
      }),
    },
    isEstimate: true,
  }
}

export type SubgraphRequest = HistoryRequest & { readonly barSeconds: 3_600 | 86_400 }

/** Where the periods begin that are over, but for those that were left out. */
function closedSlots({ bars, told }: SubgraphBars, periods: readonly Period[], until: number): readonly number[] {
  const kept = new Set(told)
  const leftOut = new Set(periods.filter((period) => !kept.has(period)).map(({ startsAt }) => startsAt))
  return Array.from(bars.startsAt).filter((startsAt) => startsAt + bars.barSeconds <= until && !leftOut.has(startsAt))
}

type Found = Checked & {
  readonly lag: number
  readonly missing: number
  readonly absurd: number
  readonly gaps: number
  /** Whether either token has a price of our own. */
  readonly isPriced: boolean
  readonly of: number
  readonly barSeconds: number
}

function noteOf(found: Found): string | null {
  const told = [
    ...(found.lag > toldLagSeconds ? [`The subgraph is ${found.lag} seconds behind the chain.`] : []),
    ...(found.missing > 0 ? [`The subgraph tells nothing of the first ${found.missing} bars.`] : []),
    ...(found.absurd > 0 ? [`${found.absurd} periods with absurd figures were left out.`] : []),
    ...(found.gaps > 0
      ? [`The subgraph has nothing of ${found.gaps} bars: they were taken to be without a trade.`]
      : []),
    ...(found.isPriced ? [] : ["Its dollars are the subgraph's own word: neither token has a trustworthy price."]),
    ...(found.of > 0 ? [checkNote(found)] : []),
  ]
  return told.length === 0 ? null : told.join(' ')
}

function checkNote({ checked, hasLargest, of, barSeconds }: Found): string {
  const periods = barSeconds === 3_600 ? 'hours' : 'days'
  if (checked === 0) return `None of its ${periods} could be held against the pool's swap logs.`
  const which = hasLargest ? 'those that claim most first, others by chance' : 'not all of those that claim most'
  return `Held against the pool's swap logs, ${checked} of its ${of} ${periods} agree, ${which}.`
}

/** Of its periods. */
const mostAbsurd = 0.1
const toldLagSeconds = 60
