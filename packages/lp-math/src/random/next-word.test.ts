import { expect, test } from 'vitest'
import { nextWord } from './create-random.ts'

test('gives the published numbers of xoshiro128** from the state 1, 2, 3, 4', () => {
  const state = Int32Array.of(1, 2, 3, 4)
  expect(Array.from({ length: 10 }, () => nextWord(state) >>> 0)).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ])
})
