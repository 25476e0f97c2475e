/**
 * How long to wait before a refusal that took `elapsedMs` to find out, so that all refusals come after one time: after
 * `stepMs`, and where finding out took longer, all of them after as many whole steps for the next ten minutes.
 */
export function createRefusalPause({ stepMs, now }: RefusalPauseOptions): (elapsedMs: number) => number {
  let slowest = { steps: 1, at: now() }
  return (elapsedMs) => {
    const steps = Math.floor(elapsedMs / stepMs) + 1
    if (steps >= slowest.steps || Math.abs(now() - slowest.at) > rememberedMs) slowest = { steps, at: now() }
    return slowest.steps * stepMs - elapsedMs
  }
}

export type RefusalPauseOptions = {
  readonly stepMs: number
  /** Milliseconds. */
  readonly now: () => number
}

const rememberedMs = 10 * 60_000
