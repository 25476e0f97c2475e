import { expect, test } from 'vitest'
import { createWaitingLine } from './waiting-line.ts'

test('those who wait take turns, each with his oldest first', () => {
  const line = createWaitingLine<string>(8)
  for (const task of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) expect(line.join(task.slice(0, 1), task)).toBeNull()
  expect(Array.from({ length: 4 }, () => line.next())).toEqual(['a1', 'b1', 'c1', 'a2'])
  line.join('c', 'c2')
  expect(Array.from({ length: 4 }, () => line.next())).toEqual(['b2', 'a3', 'c2', null])
})

test('when all places are taken, whoever has most gives up his newest for somebody with fewer', () => {
  const line = createWaitingLine<string>(4)
  for (const task of ['a1', 'a2', 'a3', 'a4']) line.join('a', task)
  expect(line.join('a', 'a5')).toBe('a5')
  expect(line.join('b', 'b1')).toBe('a4')
  expect(line.join('b', 'b2')).toBe('a3')
  expect(line.join('b', 'b3'), 'two each').toBe('b3')
  expect(line.all()).toEqual(['a1', 'a2', 'b1', 'b2'])
})

test('who leaves makes room, and nobody joins where there is none', () => {
  const line = createWaitingLine<string>(1)
  line.join('a', 'a1')
  line.leave('b', 'a1')
  expect(line.join('b', 'b1')).toBe('b1')
  line.leave('a', 'a1')
  expect(line.join('b', 'b1')).toBeNull()
  expect(createWaitingLine<string>(0).join('a', 'a1')).toBe('a1')
})
