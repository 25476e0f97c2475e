import { describe, expect, it } from 'vitest'
import type { PriceBand } from '../../ports.ts'
import { bandAt, evidenceOf, evidenceTime, feedOf, idOf, meanOf, poolAt, usd } from './evidence.fixture.ts'
import { priceBand, type PriceEvidence } from './price-band.ts'

type Case = readonly [
  what: string,
  evidence: Partial<PriceEvidence>,
  band: readonly [low: number, high: number] | null,
  rest?: { readonly basis?: PriceBand['basis']; readonly mid?: number; readonly notes?: readonly string[] },
]

const feed = feedOf(100, evidenceTime)
const thin = { depthUsd: 100_000 }

describe('priceBand', () => {
  it.for<Case>([
    ['of nothing', {}, null],
    ['of a feed', { feed }, [99.5, 100.5], { basis: 'feed', mid: 100 }],
    ['of a stale feed', { feed: feedOf(100, 0) }, null],
    ['of a mean', { pools: [poolAt(1, 100)] }, [100, 100], { basis: 'pools', mid: 100 }],
    ['of feed and mean: both', { feed, pools: [poolAt(1, 103)] }, [99.5, 103], { basis: 'feed', mid: 100 }],
    ['of a stale feed and a mean', { feed: feedOf(100, 0), pools: [poolAt(1, 103)] }, [103, 103], { basis: 'pools' }],
    ['of two deep means apart: both', { pools: [poolAt(1, 100), poolAt(2, 120)] }, [100, 120], { basis: 'pools' }],
    ['of feed and a deep mean apart: both', { feed, pools: [poolAt(1, 50)] }, [50, 100.5], { basis: 'feed' }],
    [
      'of means by the depth of each in the middle',
      { pools: [poolAt(1, 100, thin), poolAt(2, 101), poolAt(3, 102, thin)] },
      [100, 102],
      { mid: 101 },
    ],
    [
      'of a mean through a quote that is worth a range',
      { pools: [poolAt(1, 10, { quote: bandAt(9, 11, { basis: 'pools' }) })] },
      [90, 110],
      { basis: 'pools', mid: 100 },
    ],
    [
      'of a mean through a quote at its price of the moment',
      { pools: [poolAt(1, 10, { quote: bandAt(9, 11, { basis: 'cold' }) })] },
      [90, 110],
      { basis: 'cold' },
    ],
    [
      'of a mean over too short a time: as without one',
      { pools: [{ ...poolAt(1, 100), mean: meanOf(90, { seconds: 899 }) }] },
      [99.3667, 100.6373],
      { basis: 'cold' },
    ],
    [
      'of the shortest mean that counts',
      { pools: [{ ...poolAt(1, 100), mean: meanOf(90, { seconds: 900 }) }] },
      [90, 90],
      { basis: 'pools' },
    ],
    [
      'of an empty pool without a mean, where nobody is presumed to spend anything on a push',
      { pools: [poolAt(1, 100, { mean: null, depthUsd: 0 })], pushBudgetUsd: 0 },
      [25, 400],
      { basis: 'cold' },
    ],
    ['of a price of nothing', { pools: [poolAt(1, 0)] }, null],
    ['of a billion dollars', { pools: [poolAt(1, 1e9)] }, [1e9, 1e9]],
    ['of more than that', { pools: [poolAt(1, 1e9 + 1)] }, null],
  ])('%s', ([, evidence, expected, rest]) => expectBand(evidence, expected, rest))

  it('says silent where nothing speaks and absurd where what speaks makes no sense', () => {
    expect(priceBand(evidenceOf())).toMatchObject({ band: null, doubt: 'silent', confidence: 'LOW' })
    expect(priceBand(evidenceOf({ pools: [poolAt(1, 0)] }))).toMatchObject({ band: null, doubt: 'absurd' })
  })
})

describe('a pool without a mean', () => {
  const weak = { mean: null }
  it.for<Case>([
    // Of a million deep, 200 dollars pay fees of 0.3 % there and back for a thirtieth of all of it.
    [
      'alone: as far as it can have been pushed',
      { pools: [poolAt(1, 100, weak)] },
      [99.3667, 100.6373],
      { basis: 'cold' },
    ],
    [
      'with others like it: all of them',
      { pools: [poolAt(1, 100, weak), poolAt(2, 110, weak)] },
      [99.3667, 110.701],
      { basis: 'cold' },
    ],
    ['that is thin: no further than by four', { pools: [poolAt(1, 100, { ...weak, depthUsd: 1 })] }, [25, 400]],
    ['that is empty: no further than by four', { pools: [poolAt(1, 100, { ...weak, depthUsd: 0 })] }, [25, 400]],
    ['of no fee: no further than by four', { pools: [poolAt(1, 100, { ...weak, fee: 0 })] }, [25, 400]],
    [
      'that overlaps the others changes nothing',
      { feed, pools: [poolAt(1, 101, weak)] },
      [99.5, 100.5],
      { notes: ['agrees with the others'] },
    ],
    [
      'wholly above them stretches them to its nearer edge',
      { feed, pools: [poolAt(1, 110, weak)] },
      [99.5, 109.3034],
      { basis: 'feed', notes: ['contradicts the others'] },
    ],
    ['wholly below them as well', { pools: [poolAt(1, 100), poolAt(2, 90, weak)] }, [90.5736, 100], { basis: 'pools' }],
    [
      'pushed by far more than that stretches to where it may have begun',
      { pools: [poolAt(1, 100), poolAt(2, 1_000, { ...weak, depthUsd: 300_000 })] },
      [100, 979.1227],
    ],
  ])('%s', ([, evidence, expected, rest]) => expectBand(evidence, expected, rest))
})

describe('a dissenting pool', () => {
  it.for<Case>([
    [
      'that is thin is left out beside a deep one',
      { pools: [poolAt(1, 100), poolAt(2, 103, thin)] },
      [100, 100],
      { notes: ['too thin to contradict the others'] },
    ],
    ['within two percent stays', { pools: [poolAt(1, 100), poolAt(2, 102, thin)] }, [100, 102]],
    ['below by two percent stays', { pools: [poolAt(1, 102), poolAt(2, 100, thin)] }, [100, 102]],
    ['below by more is left out', { pools: [poolAt(1, 102.01), poolAt(2, 100, thin)] }, [102.01, 102.01]],
    ['that holds a fifth stretches', { pools: [poolAt(1, 100), poolAt(2, 110, { depthUsd: 250_000 })] }, [100, 110]],
    ['that holds less does not', { pools: [poolAt(1, 100), poolAt(2, 110, { depthUsd: 249_000 })] }, [100, 100]],
    ['that is the only one stays beside a feed', { feed, pools: [poolAt(1, 110)] }, [99.5, 110]],
    [
      'that is thin beside a feed and a deep pool without a mean is left out',
      { feed, pools: [poolAt(1, 110, thin), poolAt(2, 100, { mean: null })] },
      [99.5, 100.5],
    ],
    [
      'that is thin stays where nothing else has a mean',
      { pools: [poolAt(1, 110, thin), poolAt(2, 100, { mean: null })] },
      [100.6373, 110],
      { basis: 'pools' },
    ],
    [
      'that is thin and of the moment is left out too',
      { pools: [poolAt(1, 100), poolAt(2, 300, { mean: null, depthUsd: 10_000, fee: 10_000 })] },
      [100, 100],
      { notes: ['too thin to contradict the others'] },
    ],
    [
      'pushed along with another as thin as it is left out with it',
      { pools: [poolAt(1, 100), poolAt(2, 110, thin), poolAt(3, 110, thin)] },
      [100, 100],
    ],
    [
      'that five others of its size agree with is none',
      { feed: feedOf(90, evidenceTime), pools: [1, 2, 3, 4, 5, 6].map((n) => poolAt(n, 100, thin)) },
      [89.55, 100],
    ],
    [
      'of six of one size stretches where half of them are needed to judge it',
      { pools: [poolAt(1, 120), ...[2, 3, 4, 5, 6].map((n) => poolAt(n, 100))] },
      [100, 120],
    ],
  ])('%s', ([, evidence, expected, rest]) => expectBand(evidence, expected, rest))
})

describe('the peg of a dollar token', () => {
  const peg = { usdPegged: true }
  it.for<Case>([
    ['alone is a dollar', peg, [1, 1], { basis: 'feed', mid: 1 }],
    [
      'and a feed near it: both',
      { ...peg, feed: feedOf(0.99, evidenceTime) },
      [0.9851, 1],
      { basis: 'feed', mid: 0.99 },
    ],
    ['and a mean near it: both', { ...peg, pools: [poolAt(1, 1.01)] }, [1, 1.01], { basis: 'feed', mid: 1 }],
    [
      'that its feed says has gone counts no more',
      { ...peg, feed: feedOf(0.94, evidenceTime) },
      [0.9353, 0.9447],
      { basis: 'feed', mid: 0.94, notes: ['off its peg'] },
    ],
    [
      'that its pools say has gone as well',
      { ...peg, pools: [poolAt(1, 0.9)] },
      [0.9, 0.9],
      { basis: 'pools', mid: 0.9 },
    ],
    ['that its pools say is dearer', { ...peg, pools: [poolAt(1, 1.021)] }, [1.021, 1.021], { basis: 'pools' }],
    [
      'that only a price of the moment contradicts stands, and is in doubt',
      { ...peg, pools: [poolAt(1, 0.9, { mean: null })] },
      [0.9057, 1],
      { basis: 'cold' },
    ],
    ['and a stale feed is a dollar', { ...peg, feed: feedOf(0.5, 0) }, [1, 1], { basis: 'feed' }],
  ])('%s', ([, evidence, expected, rest]) => expectBand(evidence, expected, rest))
})

describe('what was seen before', () => {
  const hourAgo = { ...bandAt(100), atSeconds: evidenceTime - 3_600 }
  const seen = [hourAgo]
  it.for<Case>([
    ['is a bound without a feed', { seen, pools: [poolAt(1, 150)] }, [102.5974, 150], { notes: ['seen before'] }],
    ['is one downwards too', { seen, pools: [poolAt(1, 50)] }, [50, 97.4684]],
    [
      'binds a price of the moment',
      { seen, pools: [poolAt(1, 150, { mean: null })] },
      [102.5974, 150.956],
      { basis: 'cold' },
    ],
    ['changes nothing within its volatility', { seen, pools: [poolAt(1, 102)] }, [102, 102]],
    [
      'counts as much where older blocks of a pool tell it',
      { pools: [poolAt(1, 50, { before: [hourAgo], quote: bandAt(2) })] },
      [100, 194.9367],
      { notes: ['seen before'] },
    ],
    ['is none beside a feed', { seen, feed: feedOf(150, evidenceTime) }, [149.25, 150.75]],
    ['is none for a dollar', { seen: [{ ...hourAgo, ...bandAt(0.5) }], usdPegged: true }, [1, 1]],
  ])('%s', ([, evidence, expected, rest]) => expectBand(evidence, expected, rest))
})

describe('confidence', () => {
  it.each<readonly [string, Partial<PriceEvidence>, string]>([
    ['HIGH for a feed and means that agree', { feed, pools: [poolAt(1, 101.9)] }, 'HIGH'],
    ['MODERATE for those that do not', { feed, pools: [poolAt(1, 102.1)] }, 'MODERATE'],
    ['MODERATE for a feed alone', { feed }, 'MODERATE'],
    ['MODERATE for means alone', { pools: [poolAt(1, 100), poolAt(2, 100)] }, 'MODERATE'],
    ['LOW for prices of the moment', { pools: [poolAt(1, 100, { mean: null })] }, 'LOW'],
    ['HIGH for a dollar', { usdPegged: true }, 'HIGH'],
  ])('is %s', (_what, evidence, confidence) => {
    expect(priceBand(evidenceOf(evidence)).confidence).toBe(confidence)
  })
})

describe('what is told beside the band', () => {
  it('names method, pools and depth of what counts', () => {
    const pools = [poolAt(1, 100, { depthUsd: 500_000 }), poolAt(2, 100), poolAt(3, 150, thin)]
    expect(priceBand(evidenceOf({ pools }))).toMatchObject({
      method: 'pool_twap',
      pools: [idOf(2), idOf(1)],
      band: { depthUsdMicros: 1_500_000_000_000n },
    })
    expect(priceBand(evidenceOf({ feed, pools }))).toMatchObject({ method: 'feed' })
    expect(priceBand(evidenceOf({ usdPegged: true }))).toMatchObject({ method: 'peg', pools: [] })
    const spot = [poolAt(1, 100, { mean: null })]
    expect(priceBand(evidenceOf({ pools: spot }))).toMatchObject({ method: 'pool_spot', pools: [idOf(1)] })
  })

  it('counts a pool no deeper than its shallower side', () => {
    for (const depth of [
      { tokenSide: 5, quoteSide: 1e6 },
      { tokenSide: 1e6, quoteSide: 5 },
    ]) {
      const { band } = priceBand(evidenceOf({ pools: [{ ...poolAt(1, 100), leastDepth: depth }] }))
      expect(band?.depthUsdMicros).toBe(5_000_000n)
    }
  })

  it('counts the depth that stood throughout, and weighs by all of it', () => {
    const parked = poolAt(1, 100, { depthUsd: 5_000_000, leastDepthUsd: 27_000 })
    const { band, witnesses } = priceBand(evidenceOf({ pools: [parked, poolAt(2, 150, { depthUsd: 1_200_000 })] }))
    expect(band?.depthUsdMicros).toBe(27_000_000_000n)
    expect(witnesses.map(({ counts }) => counts)).toEqual([true, false])
  })

  it('lists every source with what it said, those that say nothing with the reason', () => {
    const silent = { row: { version: 'v2', id: idOf(9), fee: 3_000 }, silent: 'no such pool' } as const
    const { witnesses } = priceBand(evidenceOf({ feed: feedOf(1, 0), pools: [poolAt(1, 100), silent] }))
    expect(witnesses).toEqual([
      {
        source: expect.stringMatching(/^feed 0x/),
        lowE18: null,
        highE18: null,
        counts: false,
        note: expect.any(String),
      },
      {
        source: `v3 pool ${idOf(1)}`,
        lowE18: usd(100),
        highE18: usd(100),
        counts: true,
        note: 'mean of 30 min from its own oracle',
      },
      { source: `v2 pool ${idOf(9)}`, lowE18: null, highE18: null, counts: false, note: 'no such pool' },
    ])
  })

  it('names what a person expects among the sources, where pools alone price the token', () => {
    const expected = { lowE18: usd(50), highE18: usd(200) }
    const named = (evidence: Partial<PriceEvidence>) =>
      priceBand(evidenceOf({ expected, ...evidence })).witnesses.filter(({ source }) => source === 'expected')
    expect(named({ pools: [poolAt(1, 100)] })).toEqual([
      { source: 'expected', ...expected, counts: false, note: expect.stringContaining('a person expects') },
    ])
    expect(named({ feed, pools: [poolAt(1, 100)] })).toEqual([])
  })

  it('says whether a feed, a peg, what a person expects or what a feed said last holds it', () => {
    const anchored = (evidence: Partial<PriceEvidence>) => priceBand(evidenceOf(evidence)).band?.isAnchored
    const pools = [poolAt(1, 100)]
    expect(anchored({ feed })).toBe(true)
    expect(anchored({ usdPegged: true })).toBe(true)
    expect(anchored({ pools })).toBe(false)
    const expected = (low: number, high: number) => ({ pools, expected: { lowE18: usd(low), highE18: usd(high) } })
    expect(anchored(expected(100, 200))).toBe(true)
    expect(anchored(expected(50, 100))).toBe(true)
    expect(anchored(expected(100.01, 200))).toBe(false)
    expect(anchored(expected(50, 99.99))).toBe(false)
    // Both edges of the band, also where earlier prices stretched it.
    expect(anchored({ ...expected(90, 105), pools: [poolAt(1, 100), poolAt(2, 110)] })).toBe(false)
    const seen = [{ ...bandAt(200), atSeconds: evidenceTime - 60 }]
    expect(anchored({ ...expected(90, 110), seen })).toBe(false)
    // However often it was seen before: whoever pushes for long makes that up.
    const often = [1, 5, 9, 13].map((hours) => Object.assign({ atSeconds: evidenceTime - hours * 3_600 }, bandAt(100)))
    expect(anchored({ pools, seen: often })).toBe(false)
  })

  it.each([
    ['from which it can have come', 103, 5, true],
    ['from which it cannot have come so soon', 107, 2, false],
    ['from which it cannot have come', 200, 5, false],
    ['of two days ago', 110, 48, true],
    ['of longer ago', 100, 49, false],
  ])('is held by what a feed said before it fell silent, %s', (_what, dollars, hours, holds) => {
    const silent = feedOf(dollars, evidenceTime - hours * 3_600)
    expect(priceBand(evidenceOf({ feed: silent, pools: [poolAt(1, 100)] })).band).toMatchObject({
      basis: 'pools',
      isAnchored: holds,
    })
  })

  it('lets a band bound later ones only where it rests on more than the moment and nothing stretched it', () => {
    const settled = (evidence: Partial<PriceEvidence>) => priceBand(evidenceOf(evidence)).isSettled
    expect(settled({ pools: [poolAt(1, 100)] })).toBe(true)
    expect(settled({ feed })).toBe(true)
    expect(settled({ pools: [poolAt(1, 100, { mean: null })] })).toBe(false)
    expect(settled({ feed, pools: [poolAt(1, 200, { mean: null })] })).toBe(false)
    expect(settled({ pools: [poolAt(1, 150)], seen: [{ ...bandAt(100), atSeconds: evidenceTime - 60 }] })).toBe(false)
    expect(settled({})).toBe(false)
    // Of two that differ by more than bands may be wide, which would agree with a push.
    expect(settled({ pools: [poolAt(1, 100), poolAt(2, 110)] })).toBe(true)
    expect(settled({ pools: [poolAt(1, 100), poolAt(2, 110.1)] })).toBe(false)
    // Summed up between moments that whoever called the server chose.
    const summed = { ...poolAt(1, 100), mean: meanOf(100, { from: 'earlier sightings' }) }
    expect(settled({ pools: [summed] })).toBe(false)
    expect(settled({ feed, pools: [summed] })).toBe(true)
  })
})

function expectBand(evidence: Partial<PriceEvidence>, expected: Case[2], rest: Case[3] = {}): void {
  const { band, witnesses } = priceBand(evidenceOf(evidence))
  const rounded = (priceE18: bigint) => Math.round(Number(priceE18) / 1e14) / 1e4
  const said = band && {
    edges: [rounded(band.lowE18), rounded(band.highE18)],
    mid: rounded(band.midE18),
    basis: band.basis,
  }
  const { mid = said?.mid, basis = said?.basis, notes = [] } = rest
  expect(said).toEqual(expected && { edges: expected, mid, basis })
  expect(band === null || (band.lowE18 <= band.midE18 && band.midE18 <= band.highE18)).toBe(true)
  const reported = witnesses.map(({ source, note }) => `${source}: ${note}`).join('\n')
  for (const note of notes) expect(reported).toContain(note)
}
