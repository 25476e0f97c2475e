import { watchAncestry, type AncestryOptions } from './watch-ancestry.ts'

/**
 * Resolves when the process is asked to end: SIGINT, SIGTERM, SIGHUP, or the death of what it must not outlive (see
 * `watchAncestry`). A second signal half a second or more after the first ends the process at once, by exit code 130;
 * npm passes a terminal's Ctrl-C on as well, so two at a time are one. Call it first: what is loaded before goes unasked.
 */
export function untilStopped(options: AncestryOptions): Promise<StopCause> {
  const isOrphaned = watchAncestry(options)
  return new Promise((resolve) => {
    let askedAt: number | null = null
    const onSignal = () => {
      if (askedAt !== null && performance.now() - askedAt >= sameRequestMs) process.exit(130)
      askedAt ??= performance.now()
      resolve('signal')
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
    setInterval(() => {
      if (isOrphaned()) resolve('orphaned')
    }, 250).unref()
  })
}

export type StopCause = 'signal' | 'orphaned'

const sameRequestMs = 500
