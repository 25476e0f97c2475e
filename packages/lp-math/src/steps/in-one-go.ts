/** Does all the steps of a calculation, one after the other. */
export function inOneGo<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
