import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startSweeper } from './sweeper.ts'

describe('startSweeper', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('sweeps again after the last sweep has ended, never two at once, and stops when told', async () => {
    const ends: (() => void)[] = []
    const sweep = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)))
    const sweeper = startSweeper({ everyMs: 10, sweep, onError: () => {} })
    expect(sweep).toHaveBeenCalledTimes(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(sweep).toHaveBeenCalledTimes(1)
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(10)
    expect(sweep).toHaveBeenCalledTimes(2)
    sweeper.stop()
    ends[1]?.()
    await vi.advanceTimersByTimeAsync(100)
    expect(sweep).toHaveBeenCalledTimes(2)
  })

  it('tells of a failure and goes on', async () => {
    const onError = vi.fn()
    const sweep = vi.fn(() => Promise.reject(new Error('no')))
    const sweeper = startSweeper({ everyMs: 10, sweep, onError })
    await vi.advanceTimersByTimeAsync(25)
    expect(onError).toHaveBeenCalledTimes(2)
    sweeper.stop()
  })
})
