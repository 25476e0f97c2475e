import type { HistoryRequest, SwapRecord } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { withinTime } from '../analytics/within-time.ts'
import { SubgraphError } from '../subgraph/subgraph-error.ts'
import type { HistoryPorts } from './create-pool-history.ts'
import { hasLogsBefore } from './has-logs-before.ts'
import { isWithin, metOf, periodFitsSwaps } from './period-fits-swaps.ts'
import type { Period } from './read-periods.ts'
import { spotChecks } from './spot-checks.ts'

/**
 * Holds a few closed periods of a subgraph (see `spotChecks`) against the pool's own swap logs, and gives back how many agreed. An
 * endpoint that fails or is late decides nothing, and nothing more is asked of it then. One that tells no swap of a period said to be
 * traded is right where it has logs of that time; where it shows none, one period of those that claim most has to agree.
 *
 * @throws SubgraphError `malformed` where one disagrees, or trade is told that nothing confirms; ToolError `CANCELLED`
 */
export async function checkPeriods(
  ports: CheckPorts,
  request: HistoryRequest,
  told: ToldPeriods,
  { pickInt, withinMs = 5_000 }: CheckOptions,
): Promise<Checked> {
  const { chain, barSeconds } = request
  const places = spotChecks(told, barSeconds, chain, pickInt)
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, ...(request.signal === undefined ? [] : [request.signal])])
  const inTime = <Outcome>(work: Promise<Outcome>) => withinTime(orUndecided(work, request.signal), withinMs, null)
  try {
    const reads = places.map(({ startsAt }) => inTime(readPeriod(ports, { ...request, signal }, told, startsAt)))
    const readings = (await Promise.all(reads)).filter((reading) => reading !== null)
    const knownFrom = Math.min(...readings.flatMap(({ startsAt, isTraded }) => (isTraded ? [startsAt] : [])))
    const met = readings.flatMap(({ swaps }) => metOf(swaps))
    const agreed = new Set<number>()
    const silent: number[] = []
    for (const { startsAt, swaps, isTraded } of readings) {
      const period = told.told.find((each) => each.startsAt === startsAt) ?? null
      const before = told.told.findLast((each) => each.startsAt < startsAt) ?? told.opening
      if (periodFitsSwaps(request.pool, period, before, swaps, met)) agreed.add(startsAt)
      else if (isTraded || startsAt >= knownFrom) throw disagreement(startsAt, barSeconds)
      else silent.push(startsAt)
    }
    requireLiquidity(readings, told.told, barSeconds)
    const largest = places.filter(({ isLargest }) => isLargest)
    const newest = Math.max(...silent)
    if (silent.length > 0) {
      const isQuiet = await inTime(hasLogsBefore(ports.rpc, chain, newest, signal))
      if (isQuiet === true) throw disagreement(newest, barSeconds)
      if (!largest.some(({ startsAt }) => agreed.has(startsAt))) throw unconfirmed()
    }
    return { checked: agreed.size, hasLargest: largest.every(({ startsAt }) => agreed.has(startsAt)) }
  } finally {
    over.abort()
  }
}

export type CheckPorts = Pick<HistoryPorts, 'liquidity' | 'rpc'>

export type Checked = {
  /** How many agreed. */
  readonly checked: number
  /** Whether all of those that claim most are among them. */
  readonly hasLargest: boolean
}

export type ToldPeriods = {
  /** Where the closed periods begin that can be told, Unix seconds. */
  readonly slots: readonly number[]
  /** Oldest first. */
  readonly told: readonly Period[]
  /** The one before them. */
  readonly opening: Period | null
  /** The last block told: a period that ends after its time is one of the swaps up to it. */
  readonly upTo: { readonly timestamp: number; readonly blockNumber: number }
}

export type CheckOptions = {
  /** A whole number below a bound, not to be foreseen. */
  readonly pickInt: (below: number) => number
  /** How long each round of the checks may take. */
  readonly withinMs?: number
}

type Reading = {
  readonly startsAt: number
  readonly swaps: readonly SwapRecord[]
  /** Whether the pool logged a swap in it, also after the last block told. */
  readonly isTraded: boolean
}

async function readPeriod(
  { liquidity }: CheckPorts,
  { chain, pool, barSeconds, signal }: HistoryRequest,
  { upTo }: ToldPeriods,
  startsAt: number,
): Promise<Reading | null> {
  const endsAt = startsAt + barSeconds
  const { swaps, complete } = await liquidity.swaps(chain, pool, startsAt, endsAt, signal)
  if (!complete) return null
  const own = swaps.filter(({ timestamp }) => timestamp >= startsAt && timestamp < endsAt)
  const isWhole = endsAt <= upTo.timestamp
  const told = isWhole ? own : own.filter(({ blockNumber }) => blockNumber <= upTo.blockNumber)
  return { startsAt, swaps: told, isTraded: own.length > 0 }
}

/** Positions come and go after the last swap of a period, not of most: in most the liquidity is one that swaps met, to a twentieth. */
function requireLiquidity(readings: readonly Reading[], told: readonly Period[], barSeconds: number): void {
  const traded = readings.filter(({ swaps }) => swaps.length > 0)
  const off = traded.filter(({ startsAt, swaps }) => {
    const period = told.find((each) => each.startsAt === startsAt)
    return period !== undefined && !isWithin(1.05, period.liquidity, metOf(swaps))
  })
  const [first] = off
  if (first !== undefined && traded.length > 1 && off.length * 2 > traded.length)
    throw disagreement(first.startsAt, barSeconds)
}

/** Null for what fails, but for the caller's leaving. */
async function orUndecided<Outcome>(work: Promise<Outcome>, signal?: AbortSignal): Promise<Outcome | null> {
  try {
    return await work
  } catch {
    if (signal?.aborted !== true) return null
    throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
  }
}

function disagreement(startsAt: number, barSeconds: number): SubgraphError {
  const time = new Date(startsAt * 1_000).toISOString()
  const period = barSeconds === 3_600 ? 'hour' : 'day'
  return new SubgraphError('malformed', `tells another ${period} from ${time} on than the pool logged`)
}

function unconfirmed(): SubgraphError {
  return new SubgraphError('malformed', 'tells of trade of which the endpoint has no log')
}
