import { expect, test } from 'vitest'
import { yieldToEventLoop } from './in-turns.ts'

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
