import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

test('a rest is twice as long each time, five minutes at most, and short again after a success', () => {
  let clock = 0
  const backoff = createBackoff(() => clock)
  const restOf = (id: string): number => {
    for (let ms = 0; ; ms += 1_000) {
      if (!backoff.resting().includes(id)) return ms
      clock += 1_000
    }
  }
  const rests = Array.from({ length: 11 }, (_, index) => {
    expect(backoff.postpone('a')).toBe(index + 1)
    return restOf('a') / 1_000
  })
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  backoff.forget('a')
  backoff.postpone('a')
  backoff.postpone('b')
  expect(backoff.resting()).toEqual(['a', 'b'])
  expect(restOf('a')).toBe(1_000)
})
