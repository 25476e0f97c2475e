import { describe, expect, it } from 'vitest'
import type { Pool, Token } from '../../ports.ts'
import { routesOf } from './find-routes.ts'
import { priceImpactBps } from './route-cost.ts'

const [token0, token1, token2] = ['1', '2', '3'].map(
  (digit) => ({ address: `0x${digit.repeat(40)}`, decimals: 18 }) as Token,
) as [Token, Token, Token]

describe('routesOf', () => {
  it('takes every pool of either hop that holds anything, however shallow, with those of its version', () => {
    const leg = (from: Token, to: Token, version: Pool['version'] = 'v3') =>
      [500, 3_000, 100, 10_000].map((fee, index) =>
        poolWith({ version, token0: from, token1: to, fee, liquidity: BigInt(3 - index) * 10n ** 24n }),
      )
    const legs = (from: Token, to: Token) => [
      ...leg(from, to),
      ...leg(from, to, 'v4'),
      poolWith({ version: 'v2', token0: from, token1: to, fee: 3_000, liquidity: 10n ** 24n }),
    ]
    const between = [{ first: legs(token0, token1), second: legs(token1, token2) }]
    const exact = { side: 'in', amount: 10n ** 20n } as const
    const routes = routesOf({ direct: [], between }, () => token0, exact).map(
      ({ version, hops }) => `${version} ${hops.map(feeOf).join(' ')}`,
    )
    const both = [500, 3_000, 100].flatMap((one) => [500, 3_000, 100].map((other) => `${one} ${other}`))
    const expected = ['v2 3000 3000', ...both.flatMap((fees) => [`v3 ${fees}`, `v4 ${fees}`])]
    expect(new Set(routes)).toEqual(new Set(expected))
    expect(routes.slice(0, 2).toSorted()).toEqual(['v3 100 100', 'v4 100 100'])
  })

  it('asks of many for those alone that would give most, and puts what cannot take the amount last', () => {
    const pools = (from: Token, to: Token) =>
      Array.from({ length: 6 }, (_, index) =>
        poolWith({ token0: from, token1: to, fee: 100 + index, liquidity: index === 0 ? 1n : 10n ** 24n }),
      )
    const between = [{ first: pools(token0, token1), second: pools(token1, token2) }]
    const exact = { side: 'out', amount: 10n ** 20n } as const
    const routes = routesOf({ direct: [], between }, () => token0, exact).map(({ hops }) => hops.map(feeOf))
    expect(routes).toHaveLength(24)
    expect(routes[0]).toEqual([101, 101])
    expect(routes.filter((fees) => !fees.includes(100))).toHaveLength(24)
  })

  it('asks for a route of which nobody made a pool, however many pools that only look deep stand beside it', () => {
    const poolsOf = (version: Pool['version'], [from, to]: readonly [Token, Token], liquidities: readonly bigint[]) =>
      liquidities.map((liquidity, fee) => poolWith({ version, token0: from, token1: to, fee, liquidity }))
    const [deep, shallow] = [10n ** 24n, 10n ** 22n]
    const [made, real] = [Array.from({ length: 8 }, () => deep), Array.from({ length: 4 }, () => deep)]
    const sides = [
      [token0, token1],
      [token1, token2],
    ] as const
    const exact = { side: 'in', amount: 10n ** 20n } as const
    for (const [ofFirst, ofSecond] of [[made, real] as const, [real, made] as const]) {
      const legOf = (ends: (typeof sides)[number], liquidities: readonly bigint[]) =>
        poolsOf('v4', ends, liquidities).concat(poolsOf('v3', ends, [shallow]))
      const [first, second] = [legOf(sides[0], ofFirst), legOf(sides[1], ofSecond)]
      const routes = routesOf({ direct: [], between: [{ first, second }] }, () => token0, exact)
      expect(routes).toHaveLength(24)
      expect(routes.filter(({ version }) => version === 'v3')).toHaveLength(1)
      expect(routes.at(-1)?.version).toBe('v3')
    }
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
