import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bandOf } from './bands.fixture.ts'
import { bandWidthBps, type Holdings, trustedSqrtPriceX96, type TrustedPrice, valueAt } from './trusted-value.ts'

const e18 = 10n ** 18n
const nothing: Holdings = { tokens: new Map(), positions: [], shares: [] }
const pricesOf = (weth: bigint, eachSideBps = 0n) => {
  const table: Readonly<Record<string, TrustedPrice>> = {
    weth: { ...bandOf(weth * e18, { eachSideBps }), decimals: 18 },
    usdc: { ...bandOf(e18), decimals: 6 },
  }
  return (token: string) => table[token] ?? null
}

describe('worth at trusted prices', () => {
  it('of amounts at each edge, rounded down; of tokens without a price nothing', () => {
    const held = {
      ...nothing,
      tokens: new Map([
        ['weth', e18],
        ['odd', e18],
      ]),
    }
    const prices = pricesOf(3_000n, 100n)
    expect(valueAt(held, prices, 'low')).toBe(2_970_000_000n)
    expect(valueAt(held, prices, 'mid')).toBe(3_000_000_000n)
    expect(valueAt(held, prices, 'high')).toBe(3_030_000_000n)
  })

  // What the range pays out at a price of its own is worth at least what it is worth at the trusted one: leaving is never
  // a loss, entering never a gain, whatever the pool says. That is why a push of the pool cannot hide in a position.
  it('of a position is the least that its tokens are worth, whatever price the pool stands at', () => {
    const ticks = fc.integer({ min: -230_000, max: -180_000 })
    fc.assert(
      fc.property(ticks, fc.integer({ min: 10, max: 20_000 }), ticks, (tickLower, width, tick) => {
        const tickUpper = tickLower + width
        const liquidity = 10n ** 16n
        const prices = pricesOf(3_000n)
        const position = { token0: 'weth', token1: 'usdc', tickLower, tickUpper, liquidity }
        const own = valueAt({ ...nothing, positions: [position] }, prices, 'mid')
        const [lower, upper] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
        const paid = getAmountsForLiquidity(getSqrtPriceAtTick(tick), lower, upper, liquidity, true)
        const tokens = new Map([
          ['weth', paid.amount0],
          ['usdc', paid.amount1],
        ])
        expect(valueAt({ ...nothing, tokens }, prices, 'mid') + 3_000n).toBeGreaterThanOrEqual(own)
      }),
      { seed: 13, numRuns: 300 },
    )
  })

  it('of shares of a pair does not rise with a pair that somebody unbalances', () => {
    const share = { pair: 'pair', token0: 'weth', token1: 'usdc', amount: 1n, burnSupply: 10n }
    const at = (weth: bigint, usdc: bigint) =>
      valueAt({ ...nothing, shares: [{ ...share, reserve0: weth, reserve1: usdc }] }, pricesOf(3_000n), 'mid')
    const balanced = at(100n * e18, 300_000n * 10n ** 6n)
    expect(balanced).toBe(60_000n * 10n ** 6n)
    // The same product, ten times the price.
    expect(at(10n * e18, 3_000_000n * 10n ** 6n)).toBe(balanced)
  })

  it('of a pair without shares, or with a token nobody prices, is nothing', () => {
    const share = { pair: 'pair', token0: 'weth', token1: 'usdc', amount: 1n, reserve0: e18, reserve1: 1n }
    expect(valueAt({ ...nothing, shares: [{ ...share, burnSupply: 0n }] }, pricesOf(3_000n), 'mid')).toBe(0n)
    const odd = { ...share, token1: 'odd', burnSupply: 1n }
    expect(valueAt({ ...nothing, shares: [odd] }, pricesOf(3_000n), 'mid')).toBe(0n)
  })

  it('of a pair with a token nobody prices is that of its other side where its shares leave', () => {
    const odd = {
      pair: 'pair',
      token0: 'weth',
      token1: 'odd',
      reserve0: e18,
      reserve1: 1n,
      burnSupply: 10n,
      amount: 1n,
    }
    expect(valueAt({ ...nothing, shares: [odd] }, pricesOf(3_000n), 'mid', 'leaves')).toBe(300_000_000n)
  })

  it('knows the price of a pool that two trusted prices make', () => {
    const sqrt = trustedSqrtPriceX96('weth', 'usdc', pricesOf(3_000n), 'mid')
    // 3000e6 units of USDC for 1e18 of WETH.
    expect(Number(sqrt! ** 2n) / 2 ** 192).toBeCloseTo(3_000e6 / 1e18, 20)
    expect(trustedSqrtPriceX96('weth', 'odd', pricesOf(3_000n), 'mid')).toBeNull()
  })

  it('rounds the width of a band up', () => {
    expect(bandWidthBps(bandOf(e18))).toBe(0)
    expect(bandWidthBps({ lowE18: 99n * e18, highE18: 100n * e18 })).toBe(102)
    expect(bandWidthBps({ lowE18: 0n, highE18: 1n })).toBe(Infinity)
  })
})
