/** Makes a lock: work given to it runs one after the other, in order; a failure ends its own work only. */
export function createMutex(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}

/**
 * Makes a lock for each key: work of one key runs one after the other, in order, and beside that of other keys. A failure
 * ends its own work only. Work that still waits is given up when its signal says so.
 */
export function createTurns(): Turns {
  const ends = new Map<string, Promise<void>>()
  return (key, work, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = () => reject(signal?.reason)
      const begin = () => {
        signal?.removeEventListener('abort', giveUp)
        signal?.throwIfAborted()
        return work()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      const end: Promise<void> = (ends.get(key) ?? Promise.resolve())
        .then(begin)
        .then(resolve, reject)
        .finally(() => {
          if (ends.get(key) === end) ends.delete(key)
        })
      ends.set(key, end)
    })
}

type Turns = <Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>
