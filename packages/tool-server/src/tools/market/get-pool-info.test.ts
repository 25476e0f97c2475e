import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { getPoolInfo } from './pools.ts'
describeRefusals(
  getPoolInfo,
  { token0: 'WETH', token1: 'USDC', fee: 500, chain: 'base' },
  {
    pool: 'pool',
    token0: 'token',
    token1: 'token',
    fee: 'anyFee',
    chain: 'chain',
    version: 'anyVersion',
  },
)

const pool = '0xd0b53D9277642d899DF5C87A3966A349A798F224'
const id = `0x${'ab'.repeat(32)}`

const rows: readonly (readonly [label: string, args: Record<string, unknown>, field: string])[] = [
  ['neither pool nor pair', {}, 'token0'],
  ['half a pair', { token0: 'WETH', fee: 500 }, 'token1'],
  ['a pair without fee', { token0: 'WETH', token1: 'USDC' }, 'fee'],
  ['pool and pair', { pool, token0: 'WETH' }, 'pool'],
  ['pool and fee', { pool, fee: 500 }, 'pool'],
  ['one token twice', { token0: 'WETH', token1: 'WETH', fee: 500 }, 'token1'],
  ['an id as v3', { pool: id, version: 'v3' }, 'pool'],
  ['an address as v4', { pool, version: 'v4' }, 'pool'],
]
test.each(rows)('get_pool_info refuses %s', async (_label, args, field) => {
  expect(await refusedFields(getPoolInfo, { ...args, chain: 'base' })).toEqual([field])
})
