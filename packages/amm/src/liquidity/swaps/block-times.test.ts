import { describe, expect, it } from 'vitest'
import { createBlockTimes } from './block-at.ts'

const head = { number: 100_000n, timestamp: 1_800_000_000 }
const block = (number: number) => ({ number: BigInt(number), timestamp: head.timestamp - (100_000 - number) * 12 })

describe('block times', () => {
  it('are kept by chain, oldest first, each block once', () => {
    const times = createBlockTimes()
    times.learn(1, head, [block(10), block(500)])
    times.learn(1, head, [block(200), block(500)])
    expect(times.known(1, head).map(({ number }) => number)).toEqual([10n, 200n, 500n])
    expect(times.known(10, head)).toEqual([])
  })

  it('leave out what may still be reorganised, and what is above a head', () => {
    const times = createBlockTimes()
    times.learn(1, head, [block(1_000), block(99_900), head])
    expect(times.known(1, head)).toEqual([block(1_000)])
    expect(times.known(1, block(900))).toEqual([])
  })

  it('stay few', () => {
    const times = createBlockTimes()
    for (let number = 0; number < 50_000; number += 7) times.learn(1, head, [block(number)])
    expect(times.known(1, head).length).toBeLessThanOrEqual(512)
  })
})
