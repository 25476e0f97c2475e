/**
 * Carries items out together: those that come before the event loop goes on are one list, whoever brings them. A list that
 * fails fails for each of them.
 *
 * @param carryOut answers every item of a list, in order
 */
export function gather<Item, Answer>(
  carryOut: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = []

  async function flush(): Promise<void> {
    const list = waiting
    waiting = []
    try {
      const answers = await carryOut(list.map(({ item }) => item))
      for (const [index, { resolve }] of list.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of list) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      // After everything that follows from what has been answered, and before the loop sends anything.
      if (waiting.length === 0) process.nextTick(() => void flush())
      waiting.push({ item, resolve, reject })
    })
}

type Waiting<Item, Answer> = {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
