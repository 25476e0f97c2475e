import { expect, test } from 'vitest'
import { createCoreYield } from './create-core-yield.ts'

test('waits once for every half millisecond of work, and not in between', () => {
  let nowMs = 0
  const waitedAt: number[] = []
  const wait = () => {
    waitedAt.push(nowMs)
    nowMs += 0.125
  }
  const yieldCore = createCoreYield({ now: () => nowMs, wait })
  for (; nowMs < 2; nowMs += 0.125) yieldCore()
  expect(waitedAt).toEqual([0.5, 1.125, 1.75])
})

test('lets the core go: the thread waits of its own accord far more often than in the same work without', () => {
  const waitsDuring = (between: () => void) => {
    const before = process.resourceUsage().voluntaryContextSwitches
    for (const until = performance.now() + 250; performance.now() < until;) between()
    return process.resourceUsage().voluntaryContextSwitches - before
  }
  const without = waitsDuring(() => undefined)
  expect(waitsDuring(createCoreYield()) - without).toBeGreaterThan(60)
})
