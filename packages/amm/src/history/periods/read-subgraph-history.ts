import type { Chain } from '@svc/wallet/core'
import type * as z from 'zod'
import { priceFromSqrtPrice } from '@svc/lp-math'
import type { HistoryPorts, HistoryRequest, Pool, PoolBars } from '../../ports.ts'
import { type metaField, type Period, readPeriods } from './read-periods.ts'
import { type AskSubgraph, SubgraphError } from '../../subgraph/create-subgraphs.ts'
import { barGrid, type BarGrid } from '../bars/bar-columns.ts'
import { barsOfPeriods, type SubgraphBars, dollarSides } from '../bars/bars-of-periods.ts'
import { checkPeriods, type Checked, type CheckOptions } from './check-periods.ts'

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
  const { from, to, barSeconds } = request
  const grid = barGrid(from, to, barSeconds)
  const reported = await readReported(ports, ask, request, grid)
  const { read, periods, lag, headTime } = reported
  requireBelievable(reported, request, grid)
  const slots = closedSlots(read, periods, Math.min(headTime, to))
  const upTo = { timestamp: headTime - lag, blockNumber: reported.blockNumber }
  const checked = await checkPeriods(ports, request, { ...read, slots, upTo }, checks)
  const { bars, figures, gapsAt, absurd } = read
  const barsFound = bars.startsAt.length
  const known = { barsExpected: grid.count, barsFound, hasAllTrades: absurd === 0, gaps: gapsAt.length, gapsAt }
  const found = { ...reported, ...checked, missing: grid.count - barsFound, absurd, gaps: gapsAt.length }
  const note = noteOf({ ...found, of: slots.length, barSeconds })
  return { bars, figures, source: 'subgraph', completeness: { ...known, note }, isEstimate: true }
}

export type SubgraphRequest = HistoryRequest & { readonly barSeconds: 3_600 | 86_400 }

type Reported = {
  readonly read: SubgraphBars
  readonly periods: readonly Period[]
  /** The last block that the subgraph has seen, and by how many seconds it is behind. */
  readonly blockNumber: number
  readonly lag: number
  readonly headTime: number
  /** Whether either token has a price of our own. */
  readonly isPriced: boolean
}

async function readReported(
  ports: HistoryPorts,
  ask: AskSubgraph,
  { chain, pool, to, barSeconds, signal }: SubgraphRequest,
  grid: BarGrid,
): Promise<Reported> {
  const [{ meta, before, periods }, head, price0, price1] = await Promise.all([
    // One bar more: where the period ends now, that is where the last price stands.
    readPeriods((query, variables) => ask(query, variables, signal), pool, {
      ...grid,
      count: grid.count + 1,
      barSeconds,
    }),
    ports.rpc.head(chain),
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const lag = subgraphLag(meta, head, chain, to)
  const sides = dollarSides(pool, price0, price1)
  const read = barsOfPeriods(pool, before, periods, grid, sides)
  const [blockNumber, headTime] = [meta.block.number, Number(head.timestamp)]
  return { read, periods, blockNumber, lag, headTime, isPriced: sides.length > 0 }
}

/** Throws where too much of it is such as no pool can have, or its last price is not that of the pool. */
function requireBelievable(
  { read, periods, headTime }: Reported,
  { pool, barSeconds }: SubgraphRequest,
  grid: BarGrid,
): void {
  const { absurd, newest } = read
  if (absurd > mostAbsurd * periods.length)
    throw new SubgraphError('malformed', 'reported figures that no pool can have')
  const isUpToNow = grid.start + (grid.count + 1) * barSeconds > headTime
  if (newest !== null && isUpToNow) requirePriceOfPool(newest, pool, { headTime, barSeconds })
}

/** Where the periods begin that are over, but for those that were left out. */
function closedSlots({ bars, reported }: SubgraphBars, periods: readonly Period[], until: number): readonly number[] {
  const kept = new Set(reported)
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
  const reported = [
    ...(found.lag > reportLagSeconds ? [`The subgraph is ${found.lag} seconds behind the chain.`] : []),
    ...(found.missing > 0 ? [`The subgraph tells nothing of the first ${found.missing} bars.`] : []),
    ...(found.absurd > 0 ? [`${found.absurd} periods with absurd figures were left out.`] : []),
    ...(found.gaps > 0
      ? [`The subgraph has nothing of ${found.gaps} bars: they were taken to be without a trade.`]
      : []),
    ...(found.isPriced
      ? []
      : [
          "Its dollars are the subgraph's own word, held against each other alone: neither token has a trustworthy price.",
        ]),
    ...(found.of > 0 ? [checkNote(found)] : []),
  ]
  return reported.length === 0 ? null : reported.join(' ')
}

function checkNote({ checked, hasLargest, costly, unanswered, of, barSeconds }: Found): string {
  const periods = barSeconds === 3_600 ? 'hours' : 'days'
  const which = hasLargest ? 'those that claim most first, others by chance' : 'not all of those that claim most'
  const more = checked === 0 ? 'of them' : 'more'
  const why = [
    ...(costly > 0 ? [`${costly} ${more} would take too many requests to the endpoint`] : []),
    ...(unanswered > 0
      ? [`of ${unanswered}${checked === 0 ? '' : ' more'} the endpoint gave no logs, or not in time`]
      : []),
  ].join(', and ')
  return checked === 0
    ? `None of its ${of} ${periods} could be held against the pool's swap logs: ${why}.`
    : `Held against the pool's swap logs, ${checked} of its ${of} ${periods} agree, ${which}${why && `; ${why}`}.`
}

/** Of its periods. */
const mostAbsurd = 0.1
const reportLagSeconds = 60

/**
 * Holds the last price that a subgraph tells against that of the pool now. A period of this bar or the one before may be off by a factor
 * of 2, as trade goes on while it is indexed; an older one means that nothing was traded since, and then the price is the same to a
 * thousandth. Throws `SubgraphError` `malformed`. `headTime` is in Unix seconds.
 */
function requirePriceOfPool(
  newest: Pick<Period, 'startsAt' | 'price'>,
  { sqrtPriceX96, token0, token1 }: Pick<Pool, 'sqrtPriceX96' | 'token0' | 'token1'>,
  { headTime, barSeconds }: { readonly headTime: number; readonly barSeconds: number },
): void {
  if (sqrtPriceX96 === 0n) return
  const isRecent = headTime < newest.startsAt + 2 * barSeconds
  const off = Math.abs(Math.log(newest.price * priceFromSqrtPrice(sqrtPriceX96, token0.decimals, token1.decimals)))
  if (off <= (isRecent ? Math.LN2 : 1e-3)) return
  const problem = isRecent ? 'tells another price than the pool has' : 'lacks the last trades of the pool'
  throw new SubgraphError('malformed', problem)
}

/**
 * How many seconds the block of an answer is behind the head of its chain. Throws `SubgraphError` `stale` for a subgraph that has
 * stopped at an error, that lacks more than a quarter of an hour of what was asked for, up to `neededUntil` (Unix seconds), or that is
 * as much ahead of the head.
 */
function subgraphLag(
  meta: z.output<typeof metaField>,
  head: { readonly number: bigint; readonly timestamp: bigint },
  chain: Pick<Chain, 'blockTimeSeconds'>,
  neededUntil: number,
): number {
  if (meta.hasIndexingErrors) throw new SubgraphError('stale', 'has stopped at an error of its own')
  const headTime = Number(head.timestamp)
  const lagOfBlocks = (Number(head.number) - meta.block.number) * chain.blockTimeSeconds
  const lag = meta.block.timestamp === null ? lagOfBlocks : headTime - meta.block.timestamp
  if (Math.min(lag, lagOfBlocks) < -mostMissingSeconds) throw new SubgraphError('stale', 'is ahead of its chain')
  const missing = Math.min(neededUntil, headTime) - (headTime - lag)
  if (missing > mostMissingSeconds) throw new SubgraphError('stale', `is ${Math.round(lag)} seconds behind its chain`)
  return Math.max(0, Math.round(lag))
}

const mostMissingSeconds = 900
