import { setTimeout as sleep } from 'node:timers/promises'
import { WalletError } from './wallet-error.ts'

/**
 * Does work that listens to a signal, which fires after `timeoutMs` or with the caller's own. Unlike `AbortSignal.timeout`
 * and `AbortSignal.any` it fires also when nothing but the work holds it: Node 20 lets those two be collected. Work that shows progress
 * may have the time begin anew.
 */
export async function withDeadline<Result>(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal, beginAnew: () => void) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController()
  const late = () => deadline.abort(new DOMException('It took too long.', 'TimeoutError'))
  const follow = () => deadline.abort(signal?.reason)
  const timer = setTimeout(late, timeoutMs)
  signal?.addEventListener('abort', follow)
  if (signal?.aborted) follow()
  try {
    return await work(deadline.signal, () => void timer.refresh())
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
}

/** Throws `ABORTED` once the caller's signal is, with its reason as the cause. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortedBy(signal)
}

/**
 * Ends what a caller waits for once his signal is aborted, whatever it waits for itself. However many wait, one listener is
 * on the signal, and none when nobody does: callers may use one signal for all they do.
 */
export function abortable(signal: AbortSignal | undefined): Abortable {
  if (signal === undefined) return { until: (work) => work(), fetch: (input, init) => fetch(input, init) }
  const waiting = new Set<(reason: WalletError) => void>()
  const requests = new Set<AbortController>()
  const giveUp = () => {
    for (const reject of waiting) reject(abortedBy(signal))
    for (const request of requests) request.abort()
  }
  return {
    async until(work) {
      throwIfAborted(signal)
      let reject: (reason: WalletError) => void = () => undefined
      const givenUp = new Promise<never>((_, refuse) => {
        reject = refuse
      })
      if (waiting.size === 0) signal.addEventListener('abort', giveUp)
      waiting.add(reject)
      try {
        return await Promise.race([work(), givenUp])
      } finally {
        waiting.delete(reject)
        if (waiting.size === 0) signal.removeEventListener('abort', giveUp)
      }
    },
    fetch(input, init) {
      const request = new AbortController()
      requests.add(request)
      const late = () => request.abort(init?.signal?.reason)
      if (init?.signal?.aborted === true) late()
      init?.signal?.addEventListener('abort', late, { once: true })
      return fetch(input, { ...init, signal: request.signal })
    },
  }
}

export type Abortable = {
  /** Rejects with `ABORTED` once the signal is aborted; the work is left to end by itself. */
  readonly until: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Breaks off what is fetched while somebody waits by `until`. */
  readonly fetch: typeof fetch
}

function abortedBy(signal: AbortSignal): WalletError {
  return new WalletError('ABORTED', 'The caller gave up.', { cause: signal.reason })
}

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
    },
  }
}

export type Deadline = {
  readonly isOver: () => boolean
  /** Resolves with the work, or with `undefined` once the deadline has ended. */
  readonly race: <Result>(work: Promise<Result>) => Promise<Result | undefined>
  /** Waits, at most until the deadline. */
  readonly pause: (ms: number) => Promise<void>
  /** Of a deadline that nobody waits for any more. */
  readonly stop: () => void
}
