import type { HistoryRequest, Liquidity, SwapRecord } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { withinTime } from '../analytics/within-time.ts'
import { SubgraphError } from '../subgraph/subgraph-error.ts'
import { periodFitsSwaps } from './period-fits-swaps.ts'
import type { Period } from './read-periods.ts'
import { spotChecks } from './spot-checks.ts'

/**
 * Holds a few closed periods of a subgraph (see `spotChecks`) against the pool's own swap logs, and gives back how many could be. An
 * endpoint that refuses, is late, or has nothing of a time before all that it has, decides nothing.
 *
 * @throws SubgraphError `malformed` where one disagrees; ToolError `CANCELLED`
 */
export async function checkPeriods(
  liquidity: Pick<Liquidity, 'swaps'>,
  request: HistoryRequest,
  told: ToldPeriods,
  { pickInt, withinMs = 5_000 }: CheckOptions,
): Promise<number> {
  const { chain, pool, barSeconds, signal } = request
  const read = async (startsAt: number): Promise<Reading | null> => {
    try {
      const endsAt = startsAt + barSeconds
      const { swaps, complete } = await liquidity.swaps(chain, pool, startsAt, endsAt, signal)
      const own = swaps.filter(({ timestamp }) => timestamp >= startsAt && timestamp < endsAt)
      return complete ? { startsAt, swaps: own } : null
    } catch (error) {
      if (error instanceof ToolError && error.code !== 'CANCELLED') return null
      throw error
    }
  }
  const places = spotChecks(told, barSeconds, chain, pickInt)
  const readings = (await Promise.all(places.map((place) => withinTime(read(place), withinMs, null)))).filter(
    (reading) => reading !== null,
  )
  const knownFrom = Math.min(...readings.flatMap(({ startsAt, swaps }) => (swaps.length > 0 ? [startsAt] : [])))
  let checked = 0
  for (const { startsAt, swaps } of readings) {
    const period = told.told.find((each) => each.startsAt === startsAt) ?? null
    const before = told.told.findLast((each) => each.startsAt < startsAt) ?? told.opening
    if (periodFitsSwaps(pool, period, before, swaps)) checked += 1
    else if (swaps.length > 0 || startsAt >= knownFrom) throw disagreement(startsAt, barSeconds)
  }
  return checked
}

export type ToldPeriods = {
  /** Where the closed periods begin that can be told, Unix seconds. */
  readonly slots: readonly number[]
  /** Oldest first. */
  readonly told: readonly Period[]
  /** The one before them. */
  readonly opening: Period | null
}

export type CheckOptions = {
  /** A whole number below a bound, not to be foreseen. */
  readonly pickInt: (below: number) => number
  /** How long the checks may take together. */
  readonly withinMs?: number
}

type Reading = { readonly startsAt: number; readonly swaps: readonly SwapRecord[] }

function disagreement(startsAt: number, barSeconds: number): SubgraphError {
  const time = new Date(startsAt * 1_000).toISOString()
  const period = barSeconds === 3_600 ? 'hour' : 'day'
  return new SubgraphError('malformed', `tells another ${period} from ${time} on than the pool logged`)
}
