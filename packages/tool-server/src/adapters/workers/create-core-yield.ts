/**
 * Makes a function to call often in long work: once half a millisecond has gone by since the last time it lets the core go for a moment,
 * which takes about a tenth of one. A scheduler leaves a thread that never waits on its core for some milliseconds at a time, however low
 * its priority, and a call that comes in meanwhile waits as long.
 */
export function createCoreYield({ now = () => performance.now(), wait = waitOnce }: CoreYieldOptions = {}): () => void {
  let lastAt = now()
  return () => {
    if (now() - lastAt < workMs) return
    wait()
    lastAt = now()
  }
}

export type CoreYieldOptions = {
  /** Milliseconds since whenever. */
  readonly now?: () => number
  /** Blocks the thread for as short a time as the system can. */
  readonly wait?: () => void
}

const workMs = 0.5

/** For something that never comes. */
function waitOnce(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.02)
}
