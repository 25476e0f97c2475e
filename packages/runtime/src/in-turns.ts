import { yieldToEventLoop } from '#yield-to-event-loop'

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
