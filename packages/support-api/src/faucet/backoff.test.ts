import { expect, test } from 'vitest'
import { createBackoff } from './payer/pay-claim.ts'

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

test('a success ends the rests of an outage, and not the rest of one that fails while others succeed', () => {
  let clock = 0
  const backoff = createBackoff(() => clock)
  backoff.postpone('bad')
  backoff.succeeded()
  clock += 1_000
  backoff.postpone('bad')
  backoff.succeeded()
  expect(backoff.resting()).toEqual(['bad'])
  backoff.postpone('late')
  clock += 2_000
  backoff.postpone('late')
  backoff.postpone('bad')
  expect(backoff.resting()).toEqual(['bad', 'late'])
  backoff.succeeded()
  expect(backoff.resting()).toEqual([])
  backoff.postpone('bad')
  clock += 7_999
  expect(backoff.resting()).toEqual(['bad'])
})
