import { expect, it } from 'vitest'
import { gauge } from './commands/status.ts'

it.each([
  [0, 10, '[..........]   0 %'],
  [0.001, 10, '[#.........]   0 %'],
  [5, 10, '[#####.....]  50 %'],
  [9.999, 10, '[#########.]  99 %'],
  [10, 10, '[##########] 100 %'],
  [12, 10, '[##########] 100 %'],
  [1, 0, '[..........]   0 %'],
])('%d of %d is %s', (used, of, shown) => {
  expect(gauge(used, of, 10)).toBe(shown)
})
