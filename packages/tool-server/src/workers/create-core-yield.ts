import { answeredAt, cameAt, type TrafficCounts } from '../traffic.ts'

/**
 * Makes a function to call often in long work. Once half a millisecond has gone by since the last time it lets the core go: where a
 * request has come in meanwhile that is not answered, until one is, a millisecond at most; else for a moment, which takes about a tenth
 * of one. A scheduler leaves a thread that never waits on its core for some milliseconds at a time, however low its priority, and the
 * thread that answers calls waits as long.
 */
export function createCoreYield(
  traffic: TrafficCounts,
  { now = () => performance.now(), wait = waitForAnswer }: CoreYieldOptions = {},
): () => void {
  let lastAt = now()
  let [came, answered] = [Atomics.load(traffic, cameAt), Atomics.load(traffic, answeredAt)]
  return () => {
    if (now() - lastAt < workMs) return
    const [cameBefore, answeredBefore] = [came, answered]
    came = Atomics.load(traffic, cameAt)
    answered = Atomics.load(traffic, answeredAt)
    // Differences, cut to 32 bits as the counts are.
    const isAwaited = ((came - cameBefore) | 0) > ((answered - answeredBefore) | 0)
    wait(traffic, answered, isAwaited ? answerMs : momentMs)
    lastAt = now()
  }
}

export type CoreYieldOptions = {
  /** Milliseconds since whenever. */
  readonly now?: () => number
  /** Blocks the thread until another number of requests is answered than so many, or for so many milliseconds. */
  readonly wait?: (traffic: TrafficCounts, answered: number, ms: number) => void
}

const workMs = 0.5
const answerMs = 1
/** As short a time as the system can. */
const momentMs = 0.02

function waitForAnswer(traffic: TrafficCounts, answered: number, ms: number): void {
  Atomics.wait(traffic, answeredAt, answered, ms)
}
