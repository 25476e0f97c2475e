import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'
import type { RateVerdict } from './rate-limits.ts'

const hourMs = 3_600_000
const pins = { key: 'pin:app', perWindow: 10, windowMs: hourMs }
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = 1_700_000_000_000
    at = await newPlace()
    store = await reopen()
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('gives as many as there are, and says how many are left', async () => {
    expect(await takeEach(3, pins)).toMatchObject([9, 8, 7].map((remaining) => ({ allowed: true, remaining })))
    expect(await store.rateLimits.take({ ...pins, cost: 7 })).toMatchObject({ allowed: true, remaining: 0 })
    expect(await store.rateLimits.take(pins)).toEqual({ allowed: false, remaining: 0, retryAfterMs: hourMs })
    expect(await store.rateLimits.take({ ...pins, key: 'pin:other' })).toMatchObject({ allowed: true, remaining: 9 })
  })

  test('slides: ten in any hour, not ten in each', async () => {
    for (let minute = 0; minute < 10; minute += 1) {
      await store.rateLimits.take(pins)
      clock += 60_000
    }
    const waitMs = 50 * 60_000
    expect(await store.rateLimits.take(pins)).toEqual({ allowed: false, remaining: 0, retryAfterMs: waitMs })
    expect(await store.rateLimits.take({ ...pins, cost: 3 })).toMatchObject({ retryAfterMs: waitMs + 2 * 60_000 })
    clock += waitMs - 1
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: false, retryAfterMs: 1 })
    clock += 1
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: false, retryAfterMs: 60_000 })
  })

  test('counts nothing for what it refused, and never gives more than a whole window', async () => {
    await store.rateLimits.take({ ...pins, cost: 9 })
    for (let index = 0; index < 5; index += 1) await store.rateLimits.take({ ...pins, cost: 2 })
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await store.rateLimits.take({ ...pins, cost: 11 })).toMatchObject({ allowed: false, retryAfterMs: null })
  })

  test('gives the last places to as many as there are of a hundred that race, in two openings', async () => {
    const other = await reopen()
    // Four of them: openings of a file that wait for each other in one process hold each other up for a quarter of a second.
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 25 ? store : other).rateLimits.take(pins)),
    )
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10)
    await other.close()
  })

  test('takes a use back once', async () => {
    const verdicts = await takeEach(10, pins)
    await store.rateLimits.refund(useOf(verdicts[4]))
    await store.rateLimits.refund(useOf(verdicts[4]))
    await store.rateLimits.refund('nothing')
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: false })
  })

  test('remembers over a restart, and when the clock jumps ahead and back', async () => {
    await takeEach(10, pins)
    await store.close()
    store = await reopen()
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: false })
    clock += 2 * hourMs
    await store.rateLimits.take({ ...pins, key: 'other' })
    clock -= 2 * hourMs
    expect(await store.rateLimits.take(pins)).toMatchObject({ allowed: false, retryAfterMs: hourMs })
  })

  test.each([0, -1, 1.5, Number.NaN])('refuses to count %d', async (count) => {
    for (const wrong of [{ cost: count }, { perWindow: count }, { windowMs: count }]) {
      await expect(store.rateLimits.take({ ...pins, ...wrong })).rejects.toThrow(TypeError)
    }
  })
})

async function takeEach(count: number, request: typeof pins): Promise<RateVerdict[]> {
  const verdicts: RateVerdict[] = []
  for (let index = 0; index < count; index += 1) verdicts.push(await store.rateLimits.take(request))
  return verdicts
}

function useOf(verdict: RateVerdict | undefined): string {
  if (verdict?.allowed !== true) throw new Error('refused')
  return verdict.useId
}

function reopen(): Promise<Store> {
  return openStore({ ...at.place, now: () => clock })
}
