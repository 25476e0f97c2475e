import { zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { PricedToken } from './spend-value.ts'
import { bandOf } from './bands.fixture.ts'
import type { Holdings } from './trusted-value.ts'
import { coldRefusals, priceRefusals } from './value-refusals.ts'
import type { Outcome } from './weigh-change.ts'

const e18 = 10n ** 18n

describe('what is refused for the price of a token', () => {
  it('is a token of which only the current price is known that leaves, in whatever holds it; bought it may be', () => {
    const held = { token0: 'fed', token1: 'cold', sqrtPriceX96: 1n, tickLower: 0, tickUpper: 1, liquidity: 1n }
    const leaves = (side: Partial<Holdings>): Outcome => ({ leaves: { ...nothing, ...side }, arrives: nothing })
    const refused = [expect.objectContaining({ code: 'PRICE_UNAVAILABLE', message: expect.stringContaining('COLD') })]
    expect(coldRefusals([leaves(tokens('fed')), leaves(tokens('cold'))], priced)).toEqual(refused)
    expect(coldRefusals([leaves({ positions: [held] })], priced)).toEqual(refused)
    expect(coldRefusals([{ leaves: tokens('fed'), arrives: tokens('cold') }], priced)).toEqual([])
    expect(coldRefusals([leaves(tokens('silent')), leaves(tokens('unseen'))], priced)).toEqual([])
  })

  it('is one whose sources are silent or lie apart, on either side, and one that leaves unseen', () => {
    const codes = (leaving: string, arriving: string) =>
      priceRefusals([{ leaves: tokens(leaving), arrives: tokens(arriving) }], priced, 100).map(({ code, details }) => [
        code,
        details?.[0]?.message,
      ])
    expect(codes('fed', 'cold')).toEqual([])
    expect(codes('fed', 'unseen')).toEqual([])
    expect(codes('unnamed', 'unnamed')).toEqual([])
    expect(codes('fed', 'silent')).toEqual([['PRICE_UNAVAILABLE', 'silent']])
    expect(codes('silent', 'fed')).toEqual([['PRICE_UNAVAILABLE', 'silent']])
    expect(codes('unseen', 'fed')).toEqual([['PRICE_UNAVAILABLE', 'not looked at']])
    expect(priceRefusals([{ leaves: tokens('apart'), arrives: nothing }], priced, 100)).toMatchObject([
      { code: 'PRICE_UNAVAILABLE', message: expect.stringContaining('102 bps apart, above the 100') },
    ])
    expect(priceRefusals([{ leaves: tokens('apart'), arrives: nothing }], priced, 102)).toEqual([])
  })
})

const nothing: Holdings = { tokens: new Map(), positions: [], shares: [] }

function tokens(name: string): Holdings {
  return { ...nothing, tokens: new Map([[name, 1n]]) }
}

function entry(name: string, of: Pick<PricedToken, 'band' | 'doubt'>): [string, PricedToken] {
  const facts = { address: zeroAddress, name, decimals: 18, isNative: false, listed: true, usdPegged: false }
  const usdE18 = of.band?.highE18 ?? null
  return [name, { token: { ...facts, symbol: name.toUpperCase() }, usd: null, usdE18, pair: null, ...of }]
}

const priced = new Map([
  entry('fed', { band: bandOf(e18), doubt: null }),
  entry('cold', { band: bandOf(e18, { eachSideBps: 5_000n, basis: 'cold' }), doubt: null }),
  entry('apart', { band: { ...bandOf(e18), lowE18: 99n * e18, highE18: 100n * e18 }, doubt: null }),
  entry('silent', { band: null, doubt: 'silent' }),
  entry('unnamed', { band: null, doubt: 'unnamed' }),
])
