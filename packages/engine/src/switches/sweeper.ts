/**
 * Runs `sweep` again and again, `everyMs` after the last one ended (asked anew each time where it is a function), so that what a crash or a slow chain left behind is
 * brought to its end without waiting for a write. Never two at once; a failure is reported and the next turn comes all the same.
 * It does not keep the process alive.
 */
export function startSweeper(options: {
  readonly everyMs: number | (() => number)
  readonly sweep: () => Promise<unknown>
  readonly onError: (error: unknown) => void
}): { stop(): void } {
  const { everyMs, sweep, onError } = options
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    if (!stopped) timer = setTimeout(turn, typeof everyMs === 'function' ? everyMs() : everyMs).unref()
  }
  const turn = () => {
    sweep().catch(onError).finally(wait)
  }
  wait()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
