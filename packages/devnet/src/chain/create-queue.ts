/** Runs tasks one after the other in the order they came. A failure concerns its own task alone. */
export function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve()
  return async (task) => {
    const result = tail.then(task)
    tail = result.catch(() => {})
    return await result
  }
}
