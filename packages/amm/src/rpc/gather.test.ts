import { expect, it } from 'vitest'
import { gather } from './query.ts'

it('carries out together what comes before the loop goes on, however many promises lie between', async () => {
  const lists: (readonly number[])[] = []
  const double = gather(async (items: readonly number[]) => {
    lists.push(items)
    return items.map((item) => item * 2)
  })
  const later = async () => {
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve()
    return double(3)
  }
  expect(await Promise.all([double(1), double(2), later()])).toEqual([2, 4, 6])
  expect(await double(4)).toBe(8)
  expect(lists).toEqual([[1, 2, 3], [4]])
})

it('fails for all of a list, and not for the next', async () => {
  let fails = true
  const same = gather(async (items: readonly number[]) => {
    if (fails) throw new Error('down')
    return items
  })
  const outcomes = await Promise.allSettled([same(1), same(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await same(3)).toBe(3)
})
