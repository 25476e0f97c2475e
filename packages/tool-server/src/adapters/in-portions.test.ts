import { expect, test } from 'vitest'
import { inPortions } from './in-portions.ts'

test('gives every item once and in order, and lets others in between', async () => {
  const order: (number | string)[] = []
  setImmediate(() => void order.push('another'))
  for await (const portion of inPortions([1, 2, 3, 4, 5], 2)) order.push(...portion)
  expect(order).toEqual([1, 2, 'another', 3, 4, 5])
  for await (const portion of inPortions([], 2)) order.push(...portion)
  expect(order).toHaveLength(6)
})
