import type { HistoryRequest, PoolBars, PoolHistory } from '../../ports.ts'
import { untilAborted } from '../../until-aborted.ts'

/**
 * A history whose reads of the same bars at the same time are one read, so that many calls about a pool cost what one does. A reader
 * who leaves leaves alone; with the last the read ends.
 */
export function shareReads(history: PoolHistory): PoolHistory {
  const underway = new Map<string, SharedRead>()
  const begun = (name: string, request: HistoryRequest): SharedRead => {
    const ending = new AbortController()
    const shared = { read: history.read({ ...request, signal: ending.signal }), ending, readers: 0 }
    underway.set(name, shared)
    return shared
  }
  return {
    async read(request) {
      const { chain, pool, from, to, barSeconds, signal } = request
      const name = [chain.id, pool.id.toLowerCase(), from, to, barSeconds].join()
      const shared = underway.get(name) ?? begun(name, request)
      shared.readers += 1
      try {
        return await (signal === undefined ? shared.read : untilAborted(shared.read, signal))
      } finally {
        shared.readers -= 1
        if (shared.readers === 0) {
          underway.delete(name)
          shared.ending.abort()
        }
      }
    },
  }
}

type SharedRead = { readonly read: Promise<PoolBars>; readonly ending: AbortController; readers: number }
