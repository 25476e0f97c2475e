/**
 * Does the steps of a calculation, half a millisecond of them in one turn of the event loop: all in one turn they would hold up whatever
 * else there is to do. A step is a bit of work that is short beside that; what it yields is not looked at.
 */
export async function inTurns<Result>(
  steps: Iterator<unknown, Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  let begunAt = now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (now() - begunAt < turnMs) continue
    await yieldToEventLoop()
    begunAt = now()
  }
}

const turnMs = 0.5

/**
 * Resolves when the event loop has served what came in until now. Of those who wait each gets a round of the loop to itself: what the
 * callers of a moment do with answers that come together does not add up to one long turn, in which no other call is heard.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) nextRound(resume)
  })
}

/** State of the module, as the loop whose rounds are given out is one for the process too. */
const waiting: (() => void)[] = []

/** The loop's own, whatever a test puts in its place. */
const nextRound = setImmediate

function resume(): void {
  waiting.shift()?.()
  if (waiting.length > 0) nextRound(resume)
}
