import { expect, test } from 'vitest'
import { inTurns } from './in-turns.ts'

test('takes as many steps in a turn as fit into half a millisecond, and lets others in between', async () => {
  const order: (number | string)[] = []
  let nowMs = 0
  const steps = function* () {
    for (const takesMs of [0.25, 0.125, 0.25, 3, 0.25]) {
      order.push(takesMs)
      nowMs += takesMs
      yield
    }
    return order.length
  }
  const others = (left: number) => {
    order.push('another')
    if (left > 1) setImmediate(others, left - 1)
  }
  setImmediate(others, 2)
  expect(await inTurns(steps(), () => nowMs)).toBe(7)
  expect(order).toEqual([0.25, 0.125, 0.25, 'another', 3, 'another', 0.25])
  expect(await inTurns([][Symbol.iterator]())).toBeUndefined()
})
