import { expect, test } from 'vitest'
import { inTurns } from './in-turns.ts'

test('takes as many steps in a turn as do what it may, and lets others in between', async () => {
  const order: (number | string)[] = []
  const steps = function* () {
    for (const done of [2, 1, 4, 2]) {
      order.push(done)
      yield done
    }
    return order.length
  }
  setImmediate(() => void order.push('another'))
  expect(await inTurns(steps(), 3)).toBe(5)
  expect(order).toEqual([2, 1, 'another', 4, 2])
  expect(await inTurns([][Symbol.iterator](), 1)).toBeUndefined()
})
