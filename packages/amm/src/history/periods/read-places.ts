import { withinTime } from '@svc/runtime'
import type { HistoryPorts, HistoryRequest, ReadLimits, SwapRecord } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import type { Period } from './read-periods.ts'

/**
 * What a pool logged in some periods (their begins in Unix seconds), as far as a budget of requests and the time go: in the first alone
 * for up to half of the time, then at once in as many of the others as there is room for by what the first took.
 *
 * @throws ToolError `CANCELLED`
 */
export async function readPlaces(
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

export type ReadTerms = {
  readonly budget: RequestBudget
  readonly withinMs: number
  /** Ends what is under way. */
  readonly signal: AbortSignal
}

export type PlacesRead = {
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
export function createRequestBudget(most: number): RequestBudget {
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
export async function orUndecided<Outcome>(work: Promise<Outcome>, signal?: AbortSignal): Promise<Outcome | null> {
  try {
    return await work
  } catch {
    if (signal?.aborted !== true) return null
    throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
  }
}

export type ReportedPeriods = {
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
