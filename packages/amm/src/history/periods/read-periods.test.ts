import { expect, test } from 'vitest'
import { readPeriods } from './read-periods.ts'

const token = { address: '0x', symbol: 'T', name: 'T', isNative: false, listed: true, usdPegged: false, decimals: 18 }
const pool = { id: '0xAB', version: 'v3', token0: token, token1: token } as const
const figures = ['liquidity', 'price', 'open', 'high', 'low', 'volume0', 'volume1', 'volumeUsd', 'tvlUsd', 'trades']
const row = (startsAt: number) => ({ startsAt, ...Object.fromEntries(figures.map((name) => [name, '1'])) })
const grid = { start: 7_200, count: 2, barSeconds: 3_600 } as const

function read(before: readonly number[], periods: readonly number[]) {
  const _meta = { block: { number: 1, timestamp: 1 }, hasIndexingErrors: false }
  return readPeriods(async () => ({ _meta, before: before.map(row), periods: periods.map(row) }), pool as never, grid)
}

test('takes periods in order where they should lie, and one before them', async () => {
  const found = await read([3_600], [7_200, 10_800])
  expect([found.before?.startsAt, ...found.periods.map(({ startsAt }) => startsAt)]).toEqual([3_600, 7_200, 10_800])
})

test.each([
  ['one before them that is not', [7_200], []],
  ['one out of order', [], [10_800, 7_200]],
  ['one twice', [], [7_200, 7_200]],
  ['one after the end', [], [14_400]],
  ['one at no beginning', [], [7_201]],
])('refuses %s', async (_label, before, periods) => {
  await expect(read(before, periods)).rejects.toMatchObject({ kind: 'malformed' })
})
