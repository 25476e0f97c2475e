import { expect, test } from 'vitest'
import { inTurns } from './in-turns.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

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
