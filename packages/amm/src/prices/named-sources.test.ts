import { chains, type Chain, type ChainToken } from '@svc/wallet/core'
import { getAddress, zeroAddress, type Address } from 'viem'
import { describe, expect, test } from 'vitest'
import { v2PairAddress, v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { poolIdOf } from '../liquidity/v4/pool-key.ts'

type ReferencePool = NonNullable<NonNullable<ChainToken['priceSources']>['pools']>[number]

/** Dollar tokens with nothing but their peg: the row says why. Nothing else stands without a source. */
const pegAlone: Readonly<Record<number, readonly string[]>> = { 81457: ['USDB'] }

/** Spacing of ticks by the fee of a v3 pool; those fees are open on every chain. */
const spacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10_000: 200 }

describe.each(chains.map((chain) => [chain.name, chain] as const))('named sources of %s', (_name, chain) => {
  const named = chain.tokens.flatMap((token) => poolsOf(token).map((pool) => ({ token, pool })))

  test('every listed token has one', () => {
    const without = chain.tokens.filter(
      (token) => token.priceSources?.feed === undefined && poolsOf(token).length === 0,
    )
    expect(without.map(({ symbol }) => symbol)).toEqual(pegAlone[chain.id] ?? [])
    expect(without.every(({ usdPegged }) => usdPegged === true)).toBe(true)
  })

  test('the quote of a pool is another listed token, or in v4 the native currency', () => {
    for (const { token, pool } of named) {
      const quote = quoteOf(chain, pool)
      expect([token.symbol, quote?.symbol]).not.toContain(undefined)
      expect(quote?.address).not.toBe(token.address)
    }
    const againstNative = named.filter(({ pool }) => pool.quote === zeroAddress)
    expect(againstNative.filter(({ pool }) => pool.version !== 'v4' || pool.native === true)).toEqual([])
  })

  test('a dollar token is held against dollar tokens alone', () => {
    const against = named.filter(({ token }) => token.usdPegged === true).map(({ pool }) => quoteOf(chain, pool))
    expect(against.filter((quote) => quote?.usdPegged !== true)).toEqual([])
  })

  test('the id of a pool follows from its members, without hooks in v4', () => {
    for (const { token, pool } of named)
      expect([token.symbol, pool.id]).toEqual([token.symbol, idOf(chain, token, pool)])
  })

  test('fee and spacing belong together, and only v4 says more than the fee', () => {
    for (const { token, pool } of named) {
      const spacing = spacings[pool.fee]
      expect([token.symbol, spacing]).not.toContain(undefined)
      expect(pool.tickSpacing).toBe(pool.version === 'v4' ? spacing : undefined)
      expect([true, undefined]).toContain(pool.native)
    }
    expect(named.filter(({ pool }) => pool.version === 'v2' && pool.fee !== 3000)).toEqual([])
    const native = named.filter(({ pool }) => pool.native === true)
    expect(native.filter(({ token, pool }) => token !== chain.wrappedNative || pool.version !== 'v4')).toEqual([])
  })

  test('no pool is named twice, nor for both of its tokens', () => {
    const ids = named.map(({ pool }) => pool.id)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('quotes lead to a feed or a peg, and never in a circle', () => {
    expect(unrooted(chain)).toEqual([])
  })

  test('a feed says how old and how far off its answer may be', () => {
    for (const { priceSources } of chain.tokens) {
      if (priceSources?.feed === undefined) continue
      const { address, heartbeatSeconds, deviationBps, decimals } = priceSources.feed
      expect(address).toBe(getAddress(address))
      expect(heartbeatSeconds).toBeGreaterThanOrEqual(300)
      expect(heartbeatSeconds).toBeLessThanOrEqual(86_400)
      expect(deviationBps).toBeGreaterThan(0)
      expect(deviationBps).toBeLessThanOrEqual(50)
      expect(decimals).toBe(8)
    }
  })
})

test('what cannot be rooted is found: a circle, and an end without a feed or a peg', () => {
  const [chain] = chains
  if (chain === undefined) throw new TypeError('no chain')
  const pool = (quote: Address): ReferencePool => ({ version: 'v2', id: '0x', quote, fee: 3000 })
  const token = (symbol: string, address: Address, ...quotes: readonly Address[]): ChainToken => ({
    symbol,
    name: symbol,
    address,
    decimals: 18,
    ...(quotes.length > 0 && { priceSources: { pools: quotes.map(pool) } }),
  })
  const [a, b, c, d] = ['0xa', '0xb', '0xc', '0xd'] as const
  const dollar: ChainToken = { ...token('D', d), usdPegged: true }
  const within = (...tokens: readonly ChainToken[]): Chain => ({ ...chain, tokens })
  expect(unrooted(within(token('A', a, d), dollar))).toEqual([])
  expect(unrooted(within(token('A', a, b, d), token('B', b, a), dollar))).toEqual(['A', 'B'])
  expect(unrooted(within(token('A', a, b), token('B', b, c), token('C', c), dollar))).toEqual(['A', 'B', 'C'])
})

function poolsOf(token: ChainToken): readonly ReferencePool[] {
  return token.priceSources?.pools ?? []
}

/** The listed token a pool is held against; the native currency counts as its wrapped token. */
function quoteOf(chain: Chain, pool: ReferencePool): ChainToken | undefined {
  const address = pool.quote === zeroAddress ? chain.wrappedNative.address : pool.quote
  return chain.tokens.find((token) => token.address === address)
}

function idOf(chain: Chain, token: ChainToken, pool: ReferencePool): string | undefined {
  const own = pool.native === true ? zeroAddress : token.address
  const [first, second] = BigInt(own) < BigInt(pool.quote) ? [own, pool.quote] : [pool.quote, own]
  const { v2, v3, v4 } = chain.amm
  if (pool.version === 'v2') return v2 && v2PairAddress(v2, first, second)
  if (pool.version === 'v3') return v3 && v3PoolAddress(v3, first, second, pool.fee)
  const key = { currency0: first, currency1: second, fee: pool.fee, tickSpacing: pool.tickSpacing ?? 0 }
  return v4 && poolIdOf({ ...key, hooks: zeroAddress })
}

/** Symbols of the tokens that are left once all whose quotes are settled are taken away, again and again. */
function unrooted(chain: Chain): readonly string[] {
  const settled = new Set<string>()
  const isSettled = (token: ChainToken): boolean => {
    const quotes = poolsOf(token).map((pool) => quoteOf(chain, pool)?.address)
    const hasRoot = token.priceSources?.feed !== undefined || token.usdPegged === true || quotes.length > 0
    return hasRoot && quotes.every((quote) => quote !== undefined && settled.has(quote))
  }
  for (const _round of chain.tokens) {
    for (const token of chain.tokens) if (isSettled(token)) settled.add(token.address)
  }
  return chain.tokens.filter(({ address }) => !settled.has(address)).map(({ symbol }) => symbol)
}
