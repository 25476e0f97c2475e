import { yieldToEventLoop } from './yield-to-event-loop.ts'

/**
 * Does the steps of a calculation, each of which tells how much it did, as much in one turn of the loop as `atOnce` says: all in one turn
 * they would hold up whatever else there is to do.
 */
export async function inTurns<Result>(steps: Iterator<number, Result>, atOnce: number): Promise<Result> {
  let done = 0
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    done += step.value
    if (done < atOnce) continue
    done = 0
    await yieldToEventLoop()
  }
}
