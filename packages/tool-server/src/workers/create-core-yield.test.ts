import { describe, expect, test } from 'vitest'
import { createTraffic } from '../traffic.ts'
import { createCoreYield } from './run-work.ts'

test('waits once for every half millisecond of work, and not in between', () => {
  let nowMs = 0
  const waitedAt: number[] = []
  const wait = () => {
    waitedAt.push(nowMs)
    nowMs += 0.125
  }
  const yieldCore = createCoreYield(createTraffic().counts, { now: () => nowMs, wait })
  for (; nowMs < 2; nowMs += 0.125) yieldCore()
  expect(waitedAt).toEqual([0.5, 1.125, 1.75])
})

describe('a request that has come in', () => {
  /** What is waited for in the next half millisecond of work. */
  const opened = (counts = createTraffic().counts) => {
    let nowMs = 0
    const waits: [answered: number, ms: number][] = []
    const wait = (_: Int32Array, answered: number, ms: number) => void waits.push([answered, ms])
    const yieldCore = createCoreYield(counts, { now: () => nowMs, wait })
    return () => {
      nowMs += 0.5
      yieldCore()
      return waits.at(-1)
    }
  }

  test('is waited for once, until one is answered or for a millisecond', () => {
    const traffic = createTraffic()
    const nextWait = opened(traffic.counts)
    expect(nextWait()).toEqual([0, 0.02])
    traffic.came()
    expect(nextWait()).toEqual([0, 1])
    expect(nextWait()).toEqual([0, 0.02])
    traffic.answered()
    expect(nextWait()).toEqual([1, 0.02])
  })

  test('is not waited for where it was answered meanwhile, however many others wait for long', () => {
    const traffic = createTraffic()
    const nextWait = opened(traffic.counts)
    for (let times = 0; times < 3; times += 1) traffic.came()
    expect(nextWait()).toEqual([0, 1])
    traffic.came()
    traffic.answered()
    expect(nextWait()).toEqual([1, 0.02])
    traffic.came()
    expect(nextWait()).toEqual([1, 1])
  })

  test('is seen where the counts go beyond 32 bits', () => {
    const traffic = createTraffic()
    traffic.counts.fill(2 ** 31 - 1)
    const nextWait = opened(traffic.counts)
    traffic.came()
    expect(nextWait()).toEqual([2 ** 31 - 1, 1])
  })
})

test('lets the core go: the thread waits of its own accord far more often than in the same work without', () => {
  const waitsDuring = (between: () => void) => {
    const before = process.resourceUsage().voluntaryContextSwitches
    // So much work, however long the machine takes to let it be done.
    for (const start = process.cpuUsage(); process.cpuUsage(start).user < 150_000;) between()
    return process.resourceUsage().voluntaryContextSwitches - before
  }
  const without = waitsDuring(() => undefined)
  expect(waitsDuring(createCoreYield(createTraffic().counts)) - without).toBeGreaterThan(60)
})
