import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Gives many items in portions, between which whatever else the process has to do comes in: in one turn they would hold it up. */
export async function* inPortions<Item>(items: readonly Item[], size: number): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) {
    if (from > 0) await yieldToEventLoop()
    yield items.slice(from, from + size)
  }
}
