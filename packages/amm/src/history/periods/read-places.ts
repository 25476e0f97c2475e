import type { HistoryRequest, ReadLimits, SwapRecord } from '../../ports.ts'
import { withinTime } from '@svc/runtime'
import type { ReportedPeriods } from './reported-periods.ts'
import type { HistoryPorts } from '../history-ports.ts'
import type { RequestBudget } from '../create-request-budget.ts'
import { orUndecided } from './or-undecided.ts'

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
