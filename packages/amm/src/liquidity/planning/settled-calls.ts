import type { Settled } from '../../intent.ts'

/**
 * What was mined, as seen by the planner of some of an intent's calls, `count` from `from` on: their logs alone, also where one
 * transaction made them all. A part that sends nothing sees the whole.
 */
export function settledCalls(settled: Settled, from: number, count: number): Settled {
  const calls = settled.calls.slice(from, from + count)
  const main = calls.at(-1)
  return main === undefined ? settled : { ...settled, calls, transactions: calls, main }
}

/** Where each part of an intent that was put together of several begins, and how many calls it has. */
export function partsOf(
  intents: readonly { readonly calls: readonly unknown[] }[],
): readonly { readonly from: number; readonly count: number }[] {
  let from = 0
  return intents.map(({ calls: { length: count } }) => {
    const part = { from, count }
    from += count
    return part
  })
}
