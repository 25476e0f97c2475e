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
