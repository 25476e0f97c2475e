import { expect, test } from 'vitest'
import { eachInSteps, inOneGo } from './each-in-steps.ts'

test('every item is looked at once and in order, 25 in a step', () => {
  const items = Array.from({ length: 60 }, (_, index) => index * 2)
  const seen: number[] = []
  const steps = eachInSteps(items, (item, index) => seen.push(item - index))
  expect(seen).toEqual([])
  expect([...steps]).toEqual([25, 25, 10])
  expect(seen).toEqual(items.map((item) => item / 2))
  expect([...eachInSteps([], () => expect.unreachable())]).toEqual([])
})

test('in one go steps come to what they return', () => {
  const sum = function* () {
    let total = 0
    yield* eachInSteps([1, 2, 3], (item) => (total += item))
    return total
  }
  expect(inOneGo(sum())).toBe(6)
})
