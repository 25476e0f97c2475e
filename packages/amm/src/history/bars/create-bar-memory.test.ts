import { expect, test } from 'vitest'
import { createBarMemory } from './create-bar-memory.ts'

const hours = { chainId: 1, pool: '0xab', barSeconds: 3_600 }
const chunk = (startsAt: number, content = `${startsAt}`) => ({ startsAt, content })

test('chunks are given back as they were last kept, each to its own', async () => {
  const bars = createBarMemory()
  await bars.keep(hours, [chunk(200), chunk(100, 'broken')])
  await bars.keep(hours, [chunk(100), chunk(300)])
  await bars.keep({ ...hours, pool: '0xcd' }, [chunk(100, 'cd')])
  await bars.keep({ ...hours, barSeconds: 60 }, [chunk(100, 'minutes')])
  await bars.keep({ ...hours, chainId: 10 }, [chunk(100, 'optimism')])
  expect(await bars.read(hours, 100, 300)).toEqual([chunk(100), chunk(200)])
  expect(await bars.read({ ...hours, chainId: 10 }, 0, 1_000)).toEqual([chunk(100, 'optimism')])
})

test('of more than it holds the oldest entries go', async () => {
  const bars = createBarMemory(3)
  for (const startsAt of [1, 2, 3, 4]) await bars.keep(hours, [chunk(startsAt)])
  expect(await bars.read(hours, 0, 9)).toEqual([chunk(2), chunk(3), chunk(4)])
})
