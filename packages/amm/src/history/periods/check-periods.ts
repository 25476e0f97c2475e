import { SubgraphError } from '../../subgraph/create-subgraphs.ts'
import type { HistoryPorts, HistoryRequest, ReadLimits, SwapRecord } from '../../ports.ts'
import { isWithin, metOf, periodFitsSwaps } from './believable-periods.ts'
import type { Period } from './read-periods.ts'
import { setMaxListeners } from 'node:events'
import { withinTime } from '@svc/runtime'
import { hasLogsBefore } from '../../liquidity/logs/scan-logs.ts'
import { ToolError } from '../../tool-error.ts'

/**
 * Holds a few closed periods of a subgraph (see `spotChecks`) against the pool's own swap logs, and gives back how many agreed. An
 * endpoint that fails or is late decides nothing, and nothing more is asked of it then, nor once the budget of requests is spent. One
 * that tells no swap of a period said to be traded is right where it has logs of that time; where it shows none, one period of those that claim most has to agree.
 *
 * @throws SubgraphError `untrue` where one disagrees, `malformed` where trade is reported that nothing confirms; ToolError `CANCELLED`
 */
export async function checkPeriods(
  ports: CheckPorts,
  request: HistoryRequest,
  reported: ReportedPeriods,
  { pickInt, withinMs = 5_000, mostRequests = usualRequests }: CheckOptions,
): Promise<Checked> {
  const { places, largest } = spotChecks(reported, pickInt)
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, ...(request.signal === undefined ? [] : [request.signal])])
  setMaxListeners(0, signal)
  const terms = { budget: createRequestBudget(mostRequests), withinMs, signal }
  try {
    const { readings, costly } = await readPlaces(ports, request, reported.upTo, places, terms)
    const { agreed, silent } = judgeReadings(request, reported, readings)
    const isConfirmed = largest.some((startsAt) => agreed.has(startsAt))
    if (silent.length > 0) await requireLogs(ports, request, Math.max(...silent), isConfirmed, terms)
    const hasLargest = largest.every((startsAt) => agreed.has(startsAt))
    return { checked: agreed.size, hasLargest, costly, unanswered: places.length - agreed.size - costly }
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
  /** How many more there were to check that take more requests than a check may make. */
  readonly costly: number
  /** How many more of which the endpoint gave no logs, or not in time. */
  readonly unanswered: number
}

export type CheckOptions = {
  /** A whole number below a bound, not to be foreseen. */
  readonly pickInt: (below: number) => number
  /** How long each round of the checks may take. */
  readonly withinMs?: number
  /** How many requests all of one check may make of the endpoint, for blocks and logs; 600 unless given. */
  readonly mostRequests?: number
  /** For how long a subgraph that one of them refuted is passed over for the pool. */
  readonly rememberMs?: number
}

/** Of the last hundred days six to eight hours usually take a hundred to five hundred. */
const usualRequests = 600

/** Throws where the silence after a time (Unix seconds) is that of a quiet pool, or nothing confirms the trade reported of it. */
async function requireLogs(
  { rpc }: CheckPorts,
  { chain, barSeconds, signal: caller }: HistoryRequest,
  newest: number,
  isConfirmed: boolean,
  { budget, withinMs, signal }: ReadTerms,
): Promise<void> {
  const asked = hasLogsBefore(rpc, chain, newest, { signal, onRequest: () => budget.take() })
  const isQuiet = await withinTime(orUndecided(asked, caller), withinMs, null)
  if (isQuiet === true) throw disagreement(newest, barSeconds)
  if (!isConfirmed) throw new SubgraphError('malformed', 'tells of trade of which the endpoint has no log')
}

/**
 * Which of the periods of a subgraph to hold against the chain: those that claim most of each of `claims`, so that no other can claim
 * more than is true, and between them some that nobody can foresee. `slots` are where the closed periods begin, quiet ones too. Fewer
 * of a short history: then not all of the `largest` are among the `places`. Both are begins, Unix seconds; the places in order of worth.
 *
 * @param pickInt a whole number below a bound, not to be foreseen
 */
function spotChecks(
  { slots, reported }: { readonly slots: readonly number[]; readonly reported: readonly Period[] },
  pickInt: (below: number) => number,
): SpotChecks {
  const open = new Set(slots)
  const rows = reported.filter(({ startsAt }) => open.has(startsAt))
  const largest = claims.flatMap((claim) => rows.toSorted((a, b) => claim(b) - claim(a)).slice(0, 1))
  const tops = [...new Set(largest.map(({ startsAt }) => startsAt))]
  const rest = slots.filter((slot) => !tops.includes(slot))
  const random = Array.from({ length: Math.max(leastRandom, leastChecks - tops.length) }, () =>
    rest.splice(rest.length === 0 ? 0 : pickInt(rest.length), 1),
  ).flat()
  const inTurn = Array.from({ length: leastChecks }, (_, index) => [tops[index], random[index]]).flat()
  const places = inTurn.filter((place) => place !== undefined).slice(0, Math.ceil(slots.length / 8))
  return { places, largest: tops }
}

type SpotChecks = {
  readonly places: readonly number[]
  /** Those that claim most. */
  readonly largest: readonly number[]
}

/** What a falsehood would raise: the volume of either token, what a unit of liquidity earned of it, the way of the price. */
const claims: readonly ((period: Period) => number)[] = [
  ({ volume1 }) => volume1,
  ({ volume0 }) => volume0,
  ({ volume1, liquidity }) => (liquidity > 0 ? volume1 / liquidity : 0),
  ({ volume0, liquidity }) => (liquidity > 0 ? volume0 / liquidity : 0),
  ({ high, low }) => (low > 0 ? high / low : 0),
]

/** One period may claim most of several. */
const leastChecks = 6
const leastRandom = 3

/**
 * Which of the periods of a subgraph agree with what the pool logged in them, and in which the endpoint is silent: it has no log of one
 * said to be traded, nor of any before, so that it may have thrown them away. Throws `SubgraphError` `untrue` where one disagrees.
 */
function judgeReadings(
  { pool, barSeconds }: Pick<HistoryRequest, 'pool' | 'barSeconds'>,
  { reported, opening }: Pick<ReportedPeriods, 'reported' | 'opening'>,
  readings: readonly Reading[],
): Judged {
  const knownFrom = Math.min(...readings.flatMap(({ startsAt, isTraded }) => (isTraded ? [startsAt] : [])))
  const met = readings.flatMap(({ swaps }) => metOf(swaps))
  const agreed = new Set<number>()
  const silent: number[] = []
  for (const { startsAt, swaps, isTraded } of readings) {
    const period = reported.find((each) => each.startsAt === startsAt) ?? null
    const before = reported.findLast((each) => each.startsAt < startsAt) ?? opening
    if (periodFitsSwaps(pool, period, before, swaps, met)) agreed.add(startsAt)
    else if (isTraded || startsAt >= knownFrom) throw disagreement(startsAt, barSeconds)
    else silent.push(startsAt)
  }
  requireLiquidity(readings, reported, barSeconds)
  return { agreed, silent }
}

type Judged = {
  /** Their begins, Unix seconds. */
  readonly agreed: ReadonlySet<number>
  readonly silent: readonly number[]
}

/** Positions come and go after the last swap of a period, not of most: in most the liquidity is one that swaps met, to a twentieth. */
function requireLiquidity(
  readings: readonly Reading[],
  reported: ReportedPeriods['reported'],
  barSeconds: number,
): void {
  const traded = readings.filter(({ swaps }) => swaps.length > 0)
  const off = traded.filter(({ startsAt, swaps }) => {
    const period = reported.find((each) => each.startsAt === startsAt)
    return period !== undefined && !isWithin(1.05, period.liquidity, metOf(swaps))
  })
  const [first] = off
  if (first !== undefined && traded.length > 1 && off.length * 2 > traded.length)
    throw disagreement(first.startsAt, barSeconds)
}

/** That a subgraph tells a period (its begin in Unix seconds) otherwise than the pool logged it. */
function disagreement(startsAt: number, barSeconds: number): SubgraphError {
  const time = new Date(startsAt * 1_000).toISOString()
  const period = barSeconds === 3_600 ? 'hour' : 'day'
  return new SubgraphError('untrue', `tells another ${period} from ${time} on than the pool logged`)
}

/**
 * What a pool logged in some periods (their begins in Unix seconds), as far as a budget of requests and the time go: in the first alone
 * for up to half of the time, then at once in as many of the others as there is room for by what the first took.
 *
 * @throws ToolError `CANCELLED`
 */
async function readPlaces(
  { liquidity }: Pick<HistoryPorts, 'liquidity'>,
  request: HistoryRequest,
  upTo: ReportedPeriods['upTo'],
  places: readonly number[],
  { budget, withinMs, signal }: ReadTerms,
): Promise<PlacesRead> {
  const outcomes = new Map<number, Reading | 'late' | 'costly'>()
  const limits = { signal, onRequest: () => budget.take() }
  const read = async (startsAt: number) => {
    outcomes.set(startsAt, 'late')
    const outcome = await orUndecided(readPeriod(liquidity, request, upTo, startsAt, limits), request.signal)
    outcomes.set(startsAt, outcome ?? (budget.left() > 0 ? 'late' : 'costly'))
  }
  const readAll = async () => {
    const [first, ...others] = places
    if (first === undefined) return
    await withinTime(read(first), withinMs / 2, undefined)
    const room = budget.left() / Math.max(1, 1.5 * budget.spent())
    await Promise.all(others.slice(0, Math.floor(room)).map(read))
  }
  await withinTime(readAll(), withinMs, undefined)
  const all = places.map((startsAt) => outcomes.get(startsAt) ?? 'costly')
  return {
    readings: all.filter((outcome) => typeof outcome === 'object'),
    costly: all.filter((outcome) => outcome === 'costly').length,
  }
}

type ReadTerms = {
  readonly budget: RequestBudget
  readonly withinMs: number
  /** Ends what is under way. */
  readonly signal: AbortSignal
}

type PlacesRead = {
  readonly readings: readonly Reading[]
  /** How many take more requests than there are. */
  readonly costly: number
}

export type Reading = {
  readonly startsAt: number
  readonly swaps: readonly SwapRecord[]
  /** Whether the pool logged a swap in it, also after the last block reported. */
  readonly isTraded: boolean
}

/** How many requests may still be made of an endpoint, by all that share them. */
function createRequestBudget(most: number): RequestBudget {
  let spent = 0
  return {
    take() {
      if (spent >= most) throw new Error('The budget of requests is spent.')
      spent += 1
    },
    spent: () => spent,
    left: () => most - spent,
  }
}

/** Null for what fails, which decides nothing; ToolError `CANCELLED` where the caller left. */
async function orUndecided<Outcome>(work: Promise<Outcome>, signal?: AbortSignal): Promise<Outcome | null> {
  try {
    return await work
  } catch {
    if (signal?.aborted !== true) return null
    throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
  }
}

type ReportedPeriods = {
  /** Where the closed periods begin that can be known, Unix seconds. */
  readonly slots: readonly number[]
  /** Oldest first. */
  readonly reported: readonly Period[]
  /** The one before them. */
  readonly opening: Period | null
  /** The last block reported: a period that ends after its time is one of the swaps up to it. */
  readonly upTo: { readonly timestamp: number; readonly blockNumber: number }
}

async function readPeriod(
  liquidity: HistoryPorts['liquidity'],
  { chain, pool, barSeconds }: HistoryRequest,
  upTo: ReportedPeriods['upTo'],
  startsAt: number,
  limits: ReadLimits,
): Promise<Reading | 'costly'> {
  const endsAt = startsAt + barSeconds
  const { swaps, complete } = await liquidity.swaps(chain, pool, startsAt, endsAt, limits)
  if (!complete) return 'costly'
  const own = swaps.filter(({ timestamp }) => timestamp >= startsAt && timestamp < endsAt)
  const isWhole = endsAt <= upTo.timestamp
  const reported = isWhole ? own : own.filter(({ blockNumber }) => blockNumber <= upTo.blockNumber)
  return { startsAt, swaps: reported, isTraded: own.length > 0 }
}

type RequestBudget = {
  /** To be called before each request; throws once none is left. */
  take(): void
  spent(): number
  left(): number
}
