import { setTimeout as sleep } from 'node:timers/promises'

/** The outcome of some work, or `late` once `timeoutMs` have passed. The work itself goes on. */
export async function withinTime<Outcome>(work: Promise<Outcome>, timeoutMs: number, late: Outcome): Promise<Outcome> {
  const finished = new AbortController()
  try {
    return await Promise.race([work, sleep(timeoutMs, late, { signal: finished.signal })])
  } finally {
    finished.abort()
  }
}

/** The outcome of some work, as long as it comes within `timeoutMs`; rejects with a `TimeoutError` when it does not. */
export async function inTime<Outcome>(work: Promise<Outcome>, timeoutMs: number): Promise<Outcome> {
  const outcome = await withinTime<Outcome | typeof late>(work, timeoutMs, late)
  if (outcome === late) throw new DOMException('It took too long.', 'TimeoutError')
  return outcome
}

const late = Symbol('late')
