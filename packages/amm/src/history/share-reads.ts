import type { HistoryRequest, PoolBars, PoolHistory } from '../ports.ts'
import { createSharedReads } from '../create-shared-reads.ts'

/** A history whose reads of the same bars at the same time are one read, so that many calls about a pool cost what one does. */
export function shareReads(history: PoolHistory): SharedHistory {
  const shared = createSharedReads<PoolBars>()
  return {
    read: (request) =>
      shared.read(nameOf(request), (ending) => history.read({ ...request, signal: ending }), request.signal),
    isUnderway: (request) => shared.isUnderway(nameOf(request)),
  }
}

export type SharedHistory = PoolHistory & {
  /** Whether a read that answers this is under way already. */
  isUnderway(request: HistoryRequest): boolean
}

function nameOf({ chain, pool, from, to, barSeconds }: HistoryRequest): string {
  return [chain.id, pool.id.toLowerCase(), pool.blockNumber, from, to, barSeconds].join()
}
