import { expect, test } from 'vitest'
import { activeLiquidity } from './read-pool-amounts.ts'

const row = (tick: number, liquidityNet: bigint) => ({ tick, liquidityNet, liquidityGross: 0n })
/** Positions [-20, 20) of 5, [-10, 10) of 7 and [30, 40) of 11. */
const rows = [row(-20, 5n), row(-10, 7n), row(10, -7n), row(20, -5n), row(30, 11n), row(40, -11n)]
const expected = [5n, 12n, 5n, 0n, 11n, 0n]

test.each([
  [-25, 0n],
  [-20, 5n],
  [-15, 5n],
  [0, 12n],
  [10, 5n],
  [35, 11n],
  [50, 0n],
])('seen from tick %d with %s in range it is the same', (tick, liquidity) => {
  expect(activeLiquidity({ tick, liquidity }, rows)).toEqual(expected)
})

test('no ticks, no liquidity by tick', () => {
  expect(activeLiquidity({ tick: 0, liquidity: 9n }, [])).toEqual([])
})
