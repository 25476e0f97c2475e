import { expect, test } from 'vitest'
import { poolWorld } from '../analytics/pool-world.fixture.ts'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { getPriceHistory } from './history.ts'

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

test('get_price_history names the places of bars without data as runs, and counts them as quiet', async () => {
  const world = poolWorld({ decimals: [18, 6], tick: -197_000 })
  const history: typeof world.history = {
    ...world.history,
    read: async (request) => {
      const read = await world.history.read(request)
      const gapsAt = [1, 3, 4, 5, 9].map((bar) => (read.bars.startsAt[0] ?? 0) + bar * read.bars.barSeconds)
      return { ...read, completeness: { ...read.completeness, gaps: gapsAt.length, gapsAt } }
    },
  }
  const input = getPriceHistory.input.parse({ token0: 'AAA', token1: 'BBB', fee: 3000, chain: 'base' })
  const answer = getPriceHistory.output.parse(await getPriceHistory.handle(input, { ...world, history }))
  expect(answer).toMatchObject({ gaps: ['1', '3-5', '9'], intervalSeconds: 3_600 })
  expect(answer['barsFound']).toBe(Number(answer['barsExpected']) - 5)
})
