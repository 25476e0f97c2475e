import { describe, expect, it } from 'vitest'
import type { Pool, Token } from '../../ports.ts'
import { priceImpactBps } from './quote.ts'
import { routesOf } from './route-query.ts'

const [token0, token1, token2] = ['1', '2', '3'].map(
  (digit) => ({ address: `0x${digit.repeat(40)}`, decimals: 18 }) as Token,
) as [Token, Token, Token]

describe('routesOf', () => {
  it('takes every pool of either hop that holds anything, however shallow, with those of its version', () => {
    const leg = (from: Token, to: Token) => [
      ...[500, 3_000, 100, 10_000].map((fee, index) =>
        poolWith({ token0: from, token1: to, fee, liquidity: BigInt(3 - index) }),
      ),
      poolWith({ version: 'v2', token0: from, token1: to, fee: 3_000 }),
    ]
    const between = [{ first: leg(token0, token1), second: leg(token1, token2) }]
    const routes = routesOf([], between, () => token0).map(
      ({ version, hops }) => `${version} ${hops.map(feeOf).join(' ')}`,
    )
    const v3 = [500, 3_000, 100].flatMap((one) => [500, 3_000, 100].map((other) => `v3 ${one} ${other}`))
    expect(new Set(routes)).toEqual(new Set(['v2 3000 3000', ...v3]))
    expect(routes.findIndex((route) => / 100( |$)/.test(route))).toBe(5)
  })
})

const feeOf = ({ pool }: { readonly pool: Pool }) => pool.fee

describe('priceImpactBps', () => {
  it('leaves out the fee, and in v4 the part of the protocol that comes on top, which differs by direction', () => {
    // Price 1; 500 millionths for token0 going in, 1,000 for token1, beside 3,000 for the providers.
    const pool = poolWith({ version: 'v4', fee: 3_000, protocolFee: (1_000 << 12) + 500 })
    const amountIn = 10n ** 18n
    expect(priceImpactBps([{ pool, tokenIn: token0, tokenOut: token1 }], amountIn, afterFee(amountIn, 3_499n))).toBe(0)
    expect(priceImpactBps([{ pool, tokenIn: token1, tokenOut: token0 }], amountIn, afterFee(amountIn, 3_997n))).toBe(0)
  })

  it('takes the v3 protocol part as a part of the fee', () => {
    const pool = poolWith({ version: 'v3', fee: 3_000, protocolFee: 0x44 })
    const amountIn = 10n ** 18n
    expect(priceImpactBps([{ pool, tokenIn: token0, tokenOut: token1 }], amountIn, afterFee(amountIn, 3_000n))).toBe(0)
  })

  it('adds up over hops, and counts what is lacking against the mid price', () => {
    const pool = poolWith({ version: 'v3', fee: 0 })
    const there = { pool, tokenIn: token0, tokenOut: token1 }
    const back = { pool, tokenIn: token1, tokenOut: token0 }
    expect(priceImpactBps([there], 1_000_000n, 990_000n)).toBe(100)
    expect(priceImpactBps([there, back], 1_000_000n, 950_000n)).toBe(500)
    expect(priceImpactBps([there], 1_000_000n, 1_000_001n)).toBe(0)
    expect(priceImpactBps([there], 1_000_000n, 0n)).toBe(10_000)
  })

  it('follows the price in both directions', () => {
    // A sqrt price of 2: one token0 is worth four token1.
    const pool = poolWith({ version: 'v3', fee: 0, sqrtPriceX96: 2n ** 97n })
    expect(priceImpactBps([{ pool, tokenIn: token0, tokenOut: token1 }], 1_000n, 4_000n)).toBe(0)
    expect(priceImpactBps([{ pool, tokenIn: token1, tokenOut: token0 }], 4_000n, 1_000n)).toBe(0)
  })
})

function afterFee(amount: bigint, feePips: bigint): bigint {
  return (amount * (1_000_000n - feePips)) / 1_000_000n
}

function poolWith(facts: Partial<Pool>): Pool {
  return {
    version: 'v3',
    id: '0x',
    token0,
    token1,
    fee: 0,
    tickSpacing: 60,
    hooks: null,
    sqrtPriceX96: 2n ** 96n,
    tick: 0,
    liquidity: 1n,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFee: 0,
    blockNumber: 1n,
    ...facts,
  }
}
