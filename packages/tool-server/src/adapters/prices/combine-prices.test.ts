import { describe, expect, it } from 'vitest'
import { combinePrices, type PriceEvidence } from './combine-prices.ts'
import { fixedPrice, fixedPriceOfSqrt, throughQuote } from './fixed-price.ts'
import type { PricePoint } from './price-point.ts'

const e18 = 10n ** 18n
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e6)) * 10n ** 12n

describe('G7: the price that limits count with', () => {
  it.for<PriceCase>([
    ['nothing is known', {}, 'missing'],
    ['a peg alone', { isPeg: true }, usd(1), ['peg']],
    ['a peg and a feed that agree: the dearer', { isPeg: true, feedE18: usd(1.01) }, usd(1.01), ['peg', 'feed']],
    ['a peg that its feed says has gone', { isPeg: true, feedE18: usd(0.94) }, 'disagreement'],
    ['one v3 mean', { groups: [pools(point('v3', 100))] }, usd(100), ['v3_twap']],
    ['one v2 mean', { groups: [pools(point('v2', 100))] }, usd(100), ['v2_twap']],
    ['a price of the moment alone', { groups: [pools(point('v3', null, 100))] }, 'missing'],
    ['two prices of the moment', { groups: [pools(point('v3', null, 100), point('v2', null, 100))] }, 'missing'],
    ['a feed alone', { feedE18: usd(100) }, 'single'],
    [
      'a feed and the price of the moment',
      { feedE18: usd(100), groups: [pools(point('v3', null, 104))] },
      usd(104),
      ['pool_spot', 'feed'],
    ],
    [
      'a feed that the moment contradicts',
      { feedE18: usd(100), groups: [pools(point('v3', null, 106))] },
      'disagreement',
    ],
    [
      'two means 5 percent apart: the dearer',
      { groups: [pools(point('v3', 100), point('v2', 105))] },
      usd(105),
      ['v3_twap', 'v2_twap'],
    ],
    ['two means further apart', { groups: [pools(point('v3', 100), point('v2', 105.000001))] }, 'disagreement'],
    ['a mean and a feed apart', { groups: [pools(point('v3', 100))], feedE18: usd(95.2) }, 'disagreement'],
    [
      'several v3 means that agree: the dearest, whatever their depth',
      { groups: [pools(point('v3', 100, 100, 1e5), point('v3', 98, 98, 2e5))] },
      usd(100),
      ['v3_twap'],
    ],
    [
      'a v3 mean that a deeper one contradicts',
      { groups: [pools(point('v3', 90, 90, 1e5), point('v3', 100, 100, 2e5))] },
      'disagreement',
    ],
    [
      'a v2 mean that a deeper one contradicts',
      { groups: [pools(point('v2', 90, 90, 1e5), point('v2', 100, 100, 2e5))] },
      'disagreement',
    ],
    [
      'a v3 mean that one below the floor contradicts',
      { groups: [pools(point('v3', 90, 90, 24_999), point('v3', 100))] },
      usd(100),
    ],
    [
      'means against different tokens that contradict each other',
      { groups: [pools(point('v3', 100)), { points: [point('v3', 40)], quote: { usd: 2, usdE18: 2n * e18 } }] },
      'disagreement',
    ],
    ['a mean of nothing', { groups: [pools(point('v3', 0))] }, 'absurd'],
    ['a mean of a billion dollars', { groups: [pools(point('v3', 1_000_000_000.1))] }, 'absurd'],
    ['a pool below the floor', { groups: [pools(point('v3', 100, 100, 24_999))] }, 'missing'],
    [
      'a pool against a token whose own price is doubtful',
      { groups: [{ points: [point('v3', 100)], quote: { usd: 2, usdE18: null } }] },
      'missing',
    ],
    [
      'a pool against a token at two dollars',
      { groups: [{ points: [point('v3', 100)], quote: { usd: 2, usdE18: 2n * e18 } }] },
      usd(200),
    ],
  ])('%s', ([, evidence, expected, sources]) => {
    const { exact, doubt } = combinePrices({ groups: [], feedE18: null, isPeg: false, ...evidence }, 25_000)
    const named = sources === undefined ? {} : { sources }
    expect({ price: exact?.usdE18 ?? doubt, sources: exact?.sources }).toMatchObject({ price: expected, ...named })
  })
})

describe('fixed prices', () => {
  it('are exact and rounded up', () => {
    expect(fixedPrice(3_000_000_000n, e18, 18, 6)).toBe(3_000n * e18)
    expect(fixedPrice(1n, 3n, 0, 0)).toBe(333_333_333_333_333_334n)
    expect(fixedPrice(1n, 10n ** 30n, 0, 0)).toBe(1n)
    expect(fixedPriceOfSqrt(1n << 96n, { tokenIs0: true, tokenDecimals: 18, quoteDecimals: 6 })).toBe(10n ** 30n)
    expect(fixedPriceOfSqrt(1n << 95n, { tokenIs0: false, tokenDecimals: 6, quoteDecimals: 6 })).toBe(4n * e18)
    expect(throughQuote(1n, 1n)).toBe(1n)
    expect(throughQuote(2n * e18, 3n * e18)).toBe(6n * e18)
  })
})

function pools(...points: PricePoint[]): PriceEvidence['groups'][number] {
  return { points, quote: { usd: 1, usdE18: e18 } }
}

function point(version: 'v2' | 'v3', mean: number | null, spot = mean ?? 0, depth = 100_000): PricePoint {
  return {
    pool: '0x0000000000000000000000000000000000000001',
    version,
    side: { tokenIs0: true, tokenDecimals: 18, quoteDecimals: 18 },
    mean,
    spot,
    meanE18: mean === null ? null : usd(mean),
    spotE18: usd(spot),
    depth,
  }
}

type PriceCase = readonly [string, Partial<PriceEvidence>, bigint | string, sources?: readonly string[]]
