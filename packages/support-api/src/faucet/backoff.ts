/**
 * Lets what did not succeed rest: a second at first, twice as long each further time, five minutes at most. What failed
 * again and again while nothing succeeded was hardly to blame: the first success ends all rests.
 */
export function createBackoff(now: () => number): Backoff {
  const rests = new Map<string, Rest>()
  return {
    postpone(id) {
      const { times: before = 0, inVain = 0 } = rests.get(id) ?? {}
      const until = now() + Math.min(firstMs * 2 ** before, mostMs)
      rests.set(id, { times: before + 1, inVain: inVain + 1, until })
      return before + 1
    },
    forget: (id) => void rests.delete(id),
    succeeded() {
      const wasOutage = [...rests.values()].some(({ inVain }) => inVain > 1)
      for (const [id, { times, until }] of rests) rests.set(id, { times, inVain: 0, until: wasOutage ? now() : until })
    },
    resting: () => [...rests].filter(([, { until }]) => until > now()).map(([id]) => id),
  }
}

export type Backoff = {
  /** Gives how often it was postponed so far, this time included. */
  postpone(id: string): number
  /** It went on: the next rest is short again. */
  forget(id: string): void
  /** Something succeeded that proves that others can. */
  succeeded(): void
  /** What is not to be tried now. */
  resting(): readonly string[]
}

/** `inVain`: how often since anything succeeded. */
type Rest = { readonly times: number; readonly inVain: number; readonly until: number }

const firstMs = 1_000
const mostMs = 300_000
