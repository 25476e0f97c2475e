import { describe, expect, it } from 'vitest'
import { describeDeposit } from './describe-operation.ts'
import type { StoredPlan } from '../operations/operations.ts'

type Stored = StoredPlan['deposits'][number]

const deposit: Stored = {
  kind: 'mint',
  version: 'v3',
  pool: `0x${'aa'.repeat(20)}`,
  token0: { token: '0x1', symbol: 'WETH', isListed: true },
  token1: { token: '0x2', symbol: 'USDC', isListed: true },
  feePct: 0.05,
  hooks: null,
  positionId: null,
  createsPool: false,
  priceLower: 2700,
  priceUpper: 3297.76,
  currentPrice: 3000,
  share0Pct: 52.3,
}

describe('a deposit for a person', () => {
  it('is its pool and its range in prices', () => {
    expect(describeDeposit(deposit)).toEqual({
      into: 'a new position in the v3 pool WETH/USDC at 0.05 %',
      pool: deposit.pool,
      range: '2,700 to 3,297.76 USDC per WETH',
      price: '3,000 USDC per WETH',
      split: '52.3 % WETH, 47.7 % USDC',
    })
  })

  it.each<readonly [Partial<Stored>, string]>([
    [{ kind: 'increase', positionId: '17' }, 'more of position 17 in the v3 pool WETH/USDC at 0.05 %'],
    [{ version: 'v2', feePct: 0.3 }, 'shares of the v2 pair WETH/USDC at 0.3 %'],
    [{ version: 'v4', feePct: null }, 'a new position in the v4 pool WETH/USDC at a fee that its hook decides'],
    [{ createsPool: true }, 'a new position in the v3 pool WETH/USDC at 0.05 %, which is created'],
  ])('says where %o goes', (change, into) => {
    expect(describeDeposit({ ...deposit, ...change }).into).toBe(into)
  })

  it.each<readonly [Partial<Stored>, string]>([
    [{ priceLower: null, priceUpper: null }, 'all prices'],
    [{ priceLower: null }, 'up to 3,297.76 USDC per WETH'],
    [{ priceUpper: null }, 'from 2,700 USDC per WETH up'],
    [{ priceLower: 0.000000303236, priceUpper: 0.00037037 }, '0.000000303236 to 0.00037037 USDC per WETH'],
  ])('writes the range of %o out', (change, range) => {
    expect(describeDeposit({ ...deposit, ...change }).range).toBe(range)
  })

  it('puts what a contract calls itself in quotes, escaped', () => {
    const token1 = { token: '0x2' as const, symbol: 'US\u202eDC" and', isListed: false }
    expect(describeDeposit({ ...deposit, token1 }).price).toBe('3,000 "US\\u202eDC\\" and" per WETH')
  })
})
