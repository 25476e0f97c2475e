import { inTime } from '@svc/runtime'

/**
 * Work that only saves other work: it may take a second, and after one that failed or took longer none is begun for half a minute, so
 * that answers do not wait for a database that is away. What is not done rejects. `now` gives milliseconds.
 */
export function createAttempts({ now, onError, timeoutMs = 1_000 }: AttemptOptions) {
  let restsUntil = -Infinity
  return async <Outcome>(work: () => Promise<Outcome>): Promise<Outcome> => {
    if (now() < restsUntil) throw new Error('The database was away a moment ago.')
    try {
      return await inTime(work(), timeoutMs)
    } catch (error) {
      // Of those under way at once one says it.
      if (now() >= restsUntil) onError(error)
      restsUntil = now() + restMs
      throw error
    }
  }
}

type AttemptOptions = {
  readonly now: () => number
  readonly onError: (error: unknown) => void
  readonly timeoutMs?: number
}

const restMs = 30_000
