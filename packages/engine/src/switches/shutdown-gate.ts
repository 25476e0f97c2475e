import { ToolError } from '@svc/amm'

/**
 * The gate before the writes of a process. Once `shut` is called nothing new comes in (`SERVER_BUSY`), and what is inside
 * signs nothing more; `shut` resolves when all have left, or after `timeoutMs`. Who is still inside then is cut off where
 * it stands: what it signed is in the journal, and the next start brings it to its end.
 */
export function createShutdownGate(): ShutdownGate {
  const inside = new Set<Promise<unknown>>()
  const state = { shut: false }
  const requireOpen = (): void => {
    if (state.shut) throw new ToolError('SERVER_BUSY', 'The server is closing and signs nothing more.')
  }
  return Object.freeze({
    requireOpen,
    isShut: () => state.shut,
    isEmpty: () => inside.size === 0,
    async during<Value>(work: () => Promise<Value>): Promise<Value> {
      requireOpen()
      const working = work()
      inside.add(working)
      try {
        return await working
      } finally {
        inside.delete(working)
      }
    },
    async shut(timeoutMs: number): Promise<boolean> {
      state.shut = true
      let timer: NodeJS.Timeout | undefined
      const timedOut = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs)
      })
      await Promise.race([Promise.allSettled(inside), timedOut])
      clearTimeout(timer)
      return inside.size === 0
    },
  })
}

export type ShutdownGate = {
  /** Throws `SERVER_BUSY` once the gate is shut. */
  requireOpen(this: void): void
  isShut(this: void): boolean
  /** Whether nothing is inside. */
  isEmpty(this: void): boolean
  /** Does work that must not be cut off. Throws `SERVER_BUSY` once the gate is shut. */
  during<Value>(this: void, work: () => Promise<Value>): Promise<Value>
  /** Whether all had left in time. */
  shut(this: void, timeoutMs: number): Promise<boolean>
}
