import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { getTickData } from './pool-state.ts'
const pool = '0xd0b53D9277642d899DF5C87A3966A349A798F224'

describeRefusals(
  getTickData,
  { pool, chain: 'base' },
  {
    pool: 'pool',
    chain: 'chain',
    version: 'rangedVersion',
    aroundPct: 'aroundPct',
    tickLower: 'tick',
    tickUpper: 'tick',
    maxTicks: 'maxTicks',
  },
)

const rows: readonly (readonly [label: string, args: Record<string, unknown>, field: string])[] = [
  ['half a band', { tickLower: 0 }, 'tickUpper'],
  ['the other half', { tickUpper: 0 }, 'tickLower'],
  ['an empty band', { tickLower: 10, tickUpper: 10 }, 'tickLower'],
  ['two bands', { tickLower: 0, tickUpper: 10, aroundPct: 5 }, 'aroundPct'],
  ['an address as v4', { version: 'v4' }, 'pool'],
]
test.each(rows)('get_tick_data refuses %s', async (_label, args, field) => {
  expect(await refusedFields(getTickData, { pool, chain: 'base', ...args })).toEqual([field])
})
