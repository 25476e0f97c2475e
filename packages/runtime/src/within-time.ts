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
