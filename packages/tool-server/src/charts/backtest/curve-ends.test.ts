import { expect, test } from 'vitest'
import { spread } from './backtest-parts.ts'

test('names that want one place stand a line apart, in order, within the axes', () => {
  expect(spread([50, 20, 90], 200)).toEqual([50, 20, 90])
  expect(spread([50, 48, 49], 200)).toEqual([74, 48, 61])
  expect(spread([199, 200, 200, 10], 200)).toEqual([174, 187, 200, 10])
  expect(spread([-5], 200)).toEqual([0])
  expect(spread([], 200)).toEqual([])
})

test('where they are too many they share what room there is', () => {
  expect(spread([0, 0, 0, 0, 0], 20)).toEqual([0, 5, 10, 15, 20])
})
