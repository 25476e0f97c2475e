import type { PoolBars, PoolHistory } from '../../ports.ts'

/** A history whose reads of the same bars at the same time are one read, so that many calls about a pool cost what one does. */
export function shareReads(history: PoolHistory): PoolHistory {
  const underway = new Map<string, Promise<PoolBars>>()
  return {
    read(request) {
      const { chain, pool, from, to, barSeconds } = request
      const name = [chain.id, pool.id.toLowerCase(), from, to, barSeconds].join()
      const read = underway.get(name) ?? history.read(request).finally(() => underway.delete(name))
      underway.set(name, read)
      return read
    },
  }
}
