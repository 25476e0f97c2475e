import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { getPriceHistory } from './get-price-history.ts'

describeRefusals(
  getPriceHistory,
  { token0: 'WETH', token1: 'USDC', fee: 500, chain: 'base', start: '2026-11-01', end: '2026-11-02T06:30:00+02:00' },
  {
    pool: 'pool',
    token0: 'token',
    token1: 'token',
    fee: 'anyFee',
    chain: 'chain',
    version: 'anyVersion',
    start: 'time',
    end: 'time',
    interval: 'interval',
  },
)

// The world of these tests stands at 2026-11-21T00:00:00Z.
const rows: readonly (readonly [label: string, args: Record<string, unknown>, field: string])[] = [
  ['a time to come', { end: '2026-11-21T00:00:01Z' }, 'end'],
  ['a start to come', { start: '2026-12-01' }, 'start'],
  ['an empty period', { start: '2026-11-02', end: '2026-11-02' }, 'start'],
  ['an inverted period', { start: '2026-11-03', end: '2026-11-02' }, 'start'],
  ['more than a thousand hours', { start: '2026-10-10' }, 'start'],
  ['more than a thousand days', { start: '2023-11-21', interval: '1d' }, 'start'],
]
test.each(rows)('get_price_history refuses %s', async (_label, args, field) => {
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, chain: 'base' }
  expect(await refusedFields(getPriceHistory, { ...pair, ...args })).toEqual([field])
})
