import type { BarStore } from './bars/bar-chunks.ts'
import type { HistoryPorts, HistoryRequest, Pool, PoolBars, UsdPrice } from '../ports.ts'
import { barGrid, joinBars, type TradedBars } from './bars/bar-columns.ts'
import { dollarSides } from './bars/bars-of-periods.ts'
import { readTradedBars } from './bars/read-traded-bars.ts'
import { ToolError } from '../tool-error.ts'

/**
 * The history of a pool out of what its chain tells. Out of swap logs first: exact inputs, prices, liquidity and fees of every swap, as far
 * back as the budget of requests goes. Where those reach less far than what is asked, or an endpoint gives none, `older` says what came
 * before: the pool's state at past blocks, or for prices alone what its own oracle recalls. Dollars are those of the token that a dollar is
 * pegged to, at the prices of each bar; without such a token, of today's price of the other. Where a log does not follow from the one
 * before it the answer is an estimate and says so. What the pool held in the past is not known.
 *
 * @throws ToolError `RPC_*`, `CANCELLED`
 */
export async function readRpcHistory(
  ports: Omit<HistoryPorts, 'rpc'>,
  kept: BarStore,
  request: HistoryRequest,
  nowMs: number,
  older: ReadOlder = async () => null,
): Promise<PoolBars> {
  const { chain, pool, from, to, barSeconds } = request
  const grid = barGrid(from, to, barSeconds)
  const [logs, ...prices] = await Promise.all([
    readLogs(ports, kept, request, nowMs),
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
  ])
  const logsFrom = logs.traded?.bars.startsAt[0] ?? grid.start + grid.count * barSeconds
  const isShort = logs.traded === null || logs.knownFrom > grid.start
  const before = isShort ? await older(request, logsFrom) : null
  if (logs.traded === null && before === null) throw logs.problem
  if (before !== null && logs.traded !== null) openAt(logs.traded, before.traded.bars.closeTick.at(-1))
  const traded = joinBars([before?.traded, logs.traded].filter((part) => part != null))
  const knownFrom = before === null ? logs.knownFrom : Math.max(grid.start, before.knownFrom)
  const { breaks } = logs
  const barsFound = traded.bars.startsAt.length
  const isHoley = breaks > sumOf(logs.traded?.trades) / 50
  return {
    ...shownOf(pool, prices, traded, before?.source ?? null),
    source: before?.source ?? 'rpc',
    completeness: {
      barsExpected: grid.count,
      barsFound,
      hasAllTrades: before?.source !== 'oracle' && knownFrom <= grid.start && !isHoley,
      gaps: 0,
      gapsAt: [],
      note: noteOf({
        chainId: chain.id,
        before: before?.note ?? null,
        isShort: knownFrom > grid.start,
        hasLogs: logs.traded !== null,
        knownFrom,
        missing: grid.count - barsFound,
        pricedFrom: traded.bars.startsAt[0] ?? grid.start,
        bound: sumOf(traded.bound),
        breaks,
      }),
    },
    isEstimate: pool.hooks !== null || breaks > 0 || before !== null,
  }
}

/** What is known of a pool before a time (Unix seconds, on the grid of the bars); `null` where nothing is. */
export type ReadOlder = (request: HistoryRequest, until: number) => Promise<Older | null>

export type Older = {
  readonly traded: TradedBars
  /** Unix seconds. */
  readonly knownFrom: number
  readonly note: string
  readonly source: 'archive' | 'oracle'
}

type Logs = { readonly knownFrom: number; readonly breaks: number } & (
  | { readonly traded: TradedBars }
  | { readonly traded: null; readonly problem: ToolError }
)

/** Logs alone do not tell what price the first of them found. */
function openAt({ bars }: TradedBars, tick: number | undefined): void {
  if (tick === undefined || bars.startsAt.length === 0) return
  bars.openTick[0] = tick
  bars.lowTick[0] = Math.min(tick, bars.lowTick[0] ?? tick)
  bars.highTick[0] = Math.max(tick, bars.highTick[0] ?? tick)
}

/** An endpoint that gives no logs may well give state. */
async function readLogs(
  ports: Omit<HistoryPorts, 'rpc'>,
  kept: BarStore,
  request: HistoryRequest,
  nowMs: number,
): Promise<Logs> {
  try {
    return await readTradedBars(ports, kept, request, nowMs)
  } catch (error) {
    if (!(error instanceof ToolError) || !error.code.startsWith('RPC_')) throw error
    return { traded: null, problem: error, knownFrom: Infinity, breaks: 0 }
  }
}

/** Of bars of prices alone no figure is known; how many trades there were, samples do not say. */
function shownOf(
  pool: Pool,
  prices: PairPrices,
  traded: TradedBars,
  source: Older['source'] | null,
): Pick<PoolBars, 'bars' | 'figures'> {
  if (source === 'oracle') {
    const figures = { volumeUsd: null, feesUsd: null, tvlUsd: null, trades: null }
    return { bars: { ...traded.bars, feeGrowth: null }, figures }
  }
  const figures = dollarsOf(pool, prices, traded)
  return { bars: traded.bars, figures: source === null ? figures : { ...figures, trades: null } }
}

function sumOf(column: Float64Array | undefined): number {
  return column?.reduce((total, value) => total + value, 0) ?? 0
}

/** US dollars of the pool's tokens, in its order. */
type PairPrices = readonly [UsdPrice | null, UsdPrice | null]

type Known = {
  readonly chainId: number
  readonly before: string | null
  readonly isShort: boolean
  readonly hasLogs: boolean
  readonly knownFrom: number
  readonly missing: number
  readonly pricedFrom: number
  readonly bound: number
  readonly breaks: number
}

function noteOf({
  chainId,
  before,
  isShort,
  hasLogs,
  knownFrom,
  missing,
  pricedFrom,
  bound,
  breaks,
}: Known): string | null {
  const [since, priced] = [knownFrom, pricedFrom].map((seconds) => new Date(seconds * 1_000).toISOString())
  const remedy = `an endpoint in SVC_RPC_URL_${chainId} that keeps old state (archive) tells what came before.`
  const notes = [
    ...(isShort && before === null
      ? [`The swap logs were read back to ${since} only: more would take too many requests to the endpoint; ${remedy}`]
      : isShort
        ? [`Nothing is known before ${since}: ${remedy}`]
        : missing === 0
          ? []
          : [
              `${missing === 1 ? 'A bar at the beginning is' : `${missing} bars at the beginning are`} left out: the price is known from ${priced} on.`,
            ]),
    ...(before === null ? [] : [before]),
    ...(hasLogs ? [] : ['The endpoint gave no swap logs of this pool.']),
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
  [price0, price1]: PairPrices,
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
