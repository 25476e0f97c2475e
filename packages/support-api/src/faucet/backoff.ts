/** Lets what did not succeed rest: a second at first, twice as long each further time, five minutes at most. */
export function createBackoff(now: () => number): Backoff {
  const rests = new Map<string, { readonly times: number; readonly until: number }>()
  return {
    postpone(id) {
      const times = (rests.get(id)?.times ?? 0) + 1
      rests.set(id, { times, until: now() + Math.min(firstMs * 2 ** (times - 1), mostMs) })
      return times
    },
    forget: (id) => void rests.delete(id),
    resting: () => [...rests].filter(([, { until }]) => until > now()).map(([id]) => id),
  }
}

export type Backoff = {
  /** Gives how often it was postponed so far, this time included. */
  postpone(id: string): number
  /** It went on: the next rest is short again. */
  forget(id: string): void
  /** What is not to be tried now. */
  resting(): readonly string[]
}

const firstMs = 1_000
const mostMs = 300_000
