/** Looks at each item in its order, at 25 at most in a step, which yields how many: whoever has other work may do it in between. */
export function* eachInSteps<Item>(
  items: readonly Item[],
  look: (item: Item, index: number) => void,
): Generator<number, void> {
  for (let from = 0; from < items.length; from += itemsOfStep) {
    const portion = items.slice(from, from + itemsOfStep)
    for (const [place, item] of portion.entries()) look(item, from + place)
    yield portion.length
  }
}

/** A fraction of a millisecond, and long beside what a step itself costs. */
const itemsOfStep = 25

/** Does all the steps of a calculation, one after the other. */
export function inOneGo<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
