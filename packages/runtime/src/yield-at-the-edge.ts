/**
 * `yieldToEventLoop` where a request may not go on in the turn of another: in an isolate that answers many, a queue of them stands for good as
 * soon as the one whose turn it was has left. Each has a round of its own, and waits for nobody.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
