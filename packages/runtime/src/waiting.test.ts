import { expect, test } from 'vitest'
import { createWaitingLine, inTurns, inTime, withinTime } from './waiting.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

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

test('of those who wait each gets a round of the loop to itself, in the order they came', async () => {
  let round = 0
  const count = () => {
    round += 1
    if (round < 100) setImmediate(count)
  }
  setImmediate(count)
  const resumed: [who: string, round: number][] = []
  const wait = async (who: string) => {
    await yieldToEventLoop()
    resumed.push([who, round])
  }
  await Promise.all(['first', 'second', 'third'].map(wait))
  const [at = 0] = resumed.map(([, when]) => when)
  expect(resumed).toEqual([
    ['first', at],
    ['second', at + 1],
    ['third', at + 2],
  ])
})

test('work that is done in time is its own outcome, good or bad', async () => {
  expect(await withinTime(Promise.resolve('done'), 60_000, 'late')).toBe('done')
  await expect(withinTime(Promise.reject(new Error('failed')), 60_000, 'late')).rejects.toThrow('failed')
})

test('work that takes too long is not waited for', async () => {
  expect(await withinTime(new Promise(() => {}), 20, 'late')).toBe('late')
})

test('an answer in time is the answer, and a failure the failure', async () => {
  expect(await inTime(Promise.resolve(1), 60_000)).toBe(1)
  await expect(inTime(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no')
})

test('what takes longer is given up', async () => {
  await expect(inTime(new Promise(() => {}), 1)).rejects.toMatchObject({ name: 'TimeoutError' })
})
