import { expect, test } from 'vitest'
import { remembered } from './remembered.ts'

test('those who wait at the same time share one question, and its answer holds for a while', async () => {
  let [clock, asked] = [0, 0]
  const read = remembered(async () => (asked += 1), { forMs: 10, now: () => clock })
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  clock = 9
  expect(await read()).toBe(1)
  clock = 15
  expect(await read()).toBe(1)
  expect(await read()).toBe(2)
  clock = 40
  expect(await read()).toBe(3)
})

test('what is forgotten is asked for anew, and an answer on its way by then is for those who waited alone', async () => {
  const answers: ((answer: string) => void)[] = []
  const read = remembered(() => new Promise<string>((resolve) => answers.push(resolve)), { forMs: 10, now: () => 0 })
  const before = read()
  read.forget()
  const after = read()
  answers[0]?.('old')
  answers[1]?.('new')
  expect([await before, await after, await read()]).toEqual(['old', 'new', 'new'])
})

test('an answer that failed is asked for again', async () => {
  let asked = 0
  const read = remembered(async () => (asked++ === 0 ? Promise.reject(new Error('away')) : 'here'), {
    forMs: 10,
    now: () => 0,
  })
  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe('here')
})
