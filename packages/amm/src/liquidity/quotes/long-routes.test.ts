import { describe, expect, it } from 'vitest'
import { zeroAddress } from 'viem'
import type { Pool, Token, Version } from '../../ports.ts'
import { longRoutesOf } from './long-routes.ts'

const tokenAt = (index: number): Token => ({
  address: index === 0 ? zeroAddress : `0x${String(index).padStart(40, '0')}`,
  symbol: `T${index}`,
  name: `T${index}`,
  decimals: 18,
  isNative: index === 0,
  listed: true,
  usdPegged: false,
})
const [native, wrapped, from, to, one, two] = [0, 1, 2, 3, 4, 5].map(tokenAt) as [
  Token,
  Token,
  Token,
  Token,
  Token,
  Token,
]
const held = (token: Token, version: Version) => (token.isNative && version !== 'v4' ? wrapped : token)
const exact = { side: 'in', amount: 10n ** 18n } as const
const ends = { tokenIn: from, tokenOut: to, held, mayMix: true }

let pools = 0

function pool(version: Version, near: Token, far: Token, depth = 24): Pool {
  const [token0, token1] = [near, far].toSorted((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1)) as [
    Token,
    Token,
  ]
  return {
    version,
    id: `0x${String((pools += 1)).padStart(64, '0')}`,
    token0,
    token1,
    fee: 3_000,
    liquidity: 10n ** BigInt(depth),
    sqrtPriceX96: 2n ** 96n,
  } as Pool
}

const wordsOf = (routes: ReturnType<typeof longRoutesOf>) =>
  routes.map(
    ({ version, hops }) => `${version}: ${hops.map((hop) => `${hop.pool.version} ${hop.tokenOut.symbol}`).join(', ')}`,
  )

describe('longRoutesOf', () => {
  it('finds what leads over two tokens, and over one through two versions; what is short is left to others', () => {
    const found = [
      pool('v3', from, one),
      pool('v2', one, to),
      pool('v3', one, to),
      pool('v3', one, two),
      pool('v3', two, to),
    ]
    expect(new Set(wordsOf(longRoutesOf(found, ends, exact)))).toEqual(
      new Set(['mixed: v3 T4, v2 T3', 'v3: v3 T4, v3 T5, v3 T3']),
    )
    const alone = longRoutesOf(found, { ...ends, mayMix: false }, exact)
    expect(wordsOf(alone)).toEqual(['v3: v3 T4, v3 T5, v3 T3'])
    const back = longRoutesOf(found, { ...ends, mayMix: false }, { side: 'out', amount: 10n ** 18n })
    expect(back).toEqual(alone)
  })

  it('goes on from native currency to its token, and takes at the ends what pools hold, the other form of it where routes may be mixed', () => {
    const found = [pool('v4', from, native), pool('v3', wrapped, to)]
    expect(wordsOf(longRoutesOf(found, ends, exact))).toEqual(['mixed: v4 T0, v3 T3'])
    const fromNative = [pool('v4', wrapped, one), pool('v4', native, two), pool('v3', one, to), pool('v3', two, to)]
    const sold = longRoutesOf(fromNative, { ...ends, tokenIn: native }, exact)
    expect(wordsOf(sold)).toEqual(['mixed: v4 T4, v3 T3', 'mixed: v4 T5, v3 T3'])
    expect(sold.map(({ turns }) => turns)).toEqual([1, undefined])
    const direct = [pool('v4', native, to), pool('v4', wrapped, to), pool('v3', wrapped, to)]
    const turned = longRoutesOf(direct, { ...ends, tokenIn: wrapped }, exact)
    expect(turned.map(({ version, hops }) => [version, hops[0]?.tokenIn.symbol])).toEqual([['mixed', 'T0']])
    const bought = longRoutesOf(direct, { ...ends, tokenIn: to, tokenOut: wrapped }, exact)
    expect(bought.map(({ version, hops }) => [version, hops[0]?.tokenOut.symbol])).toEqual([['mixed', 'T0']])
    expect(longRoutesOf(direct, { ...ends, tokenIn: wrapped, mayMix: false }, exact)).toEqual([])
  })

  it('asks about a dozen at most, the best first, and about none through an empty pool or a token twice', () => {
    const legs = (near: Token, far: Token) =>
      [20, 21, 22, 23, 24].flatMap((depth) =>
        (['v2', 'v3', 'v4'] as const).map((version) => pool(version, near, far, depth)),
      )
    const routes = longRoutesOf(
      [...legs(from, one), ...legs(one, two), ...legs(two, to), ...legs(one, to)],
      ends,
      exact,
    )
    expect(routes).toHaveLength(12)
    expect(routes[0]!.hops.every(({ pool }) => pool.liquidity === 10n ** 24n)).toBe(true)
    expect(routes.every(({ hops }) => new Set(hops.map((hop) => hop.tokenOut.address)).size === hops.length)).toBe(true)
    const empty = { ...pool('v2', one, to), liquidity: 0n }
    expect(longRoutesOf([pool('v3', from, one), empty], ends, exact)).toEqual([])
  })
})
