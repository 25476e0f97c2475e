import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Starts a deadline that ends after `timeoutMs` or when `signal` aborts. It runs on the timer's own monotonic clock, so
 * a step of the wall clock neither cuts a wait short nor stretches it. Call `stop` when done.
 */
export function startDeadline(timeoutMs: number, signal?: AbortSignal): Deadline {
  const ending = new AbortController()
  const end = (): void => ending.abort()
  const ended = new Promise<undefined>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const timer = setTimeout(end, timeoutMs)
  if (signal?.aborted === true) end()
  signal?.addEventListener('abort', end, { once: true })
  return {
    isOver: () => ending.signal.aborted,
    race: (work) => Promise.race([work, ended]),
    pause: (ms) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined),
    stop: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      end()
    },
  }
}

export type Deadline = {
  readonly isOver: () => boolean
  /** Resolves with the work, or with `undefined` once the deadline has ended. */
  readonly race: <Result>(work: Promise<Result>) => Promise<Result | undefined>
  /** Waits, at most until the deadline. */
  readonly pause: (ms: number) => Promise<void>
  readonly stop: () => void
}
