import { describe, expect, it } from 'vitest'
import { choosePrice, type PriceGroup, type PricePoint } from './discover-price.ts'

const dollar = { usd: 1, method: 'peg', pools: [], confidence: 'HIGH' } as const

describe('choosePrice', () => {
  it('takes the mean of the deepest pool that remembers, not the deeper one that does not', () => {
    const price = choosePrice(
      [byDollars(point(1, { mean: 3_000, depth: 300_000 }), point(2, { depth: 900_000 }))],
      25_000,
    )
    expect(price).toMatchObject({ usd: 3_000, method: 'pool_twap', pools: [poolOf(1)], liquidityUsd: 300_000 })
  })

  it('falls back to the moment, with low confidence', () => {
    expect(choosePrice([byDollars(point(1, { spot: 7, depth: 30_000 }))], 25_000)).toMatchObject({
      usd: 7,
      method: 'pool_spot',
      confidence: 'LOW',
    })
  })

  it('lets no pool below the floor have a say', () => {
    const thin = byDollars(point(1, { mean: 9, depth: 24_999 }), point(2, { spot: 9, depth: 1_000 }))
    expect(choosePrice([thin], 25_000)).toBeNull()
    expect(choosePrice([thin], 24_999)).not.toBeNull()
    expect(choosePrice([], 0)).toBeNull()
  })

  it('grades confidence by depth and by how the moment agrees with the mean', () => {
    const grade = (facts: Partial<PricePoint>) => choosePrice([byDollars(point(1, facts))], 25_000)?.confidence
    expect(grade({ mean: 100, spot: 101.9, depth: 250_000 })).toBe('HIGH')
    expect(grade({ mean: 100, spot: 102.1, depth: 250_000 })).toBe('MODERATE')
    expect(grade({ mean: 100, spot: 100, depth: 249_999 })).toBe('MODERATE')
    expect(grade({ mean: 100, spot: 90.1, depth: 1e9 })).toBe('MODERATE')
    expect(grade({ mean: 100, spot: 89.9, depth: 1e9 })).toBe('LOW')
    expect(grade({ mean: null, spot: 100, depth: 1e9 })).toBe('LOW')
  })

  it('prices through another token, no surer than that token is priced', () => {
    const native = { usd: 2_000, method: 'pool_twap', pools: [poolOf(9)], confidence: 'MODERATE' } as const
    const group = { points: [point(1, { mean: 20, spot: 20, depth: 1_000 })], quote: native }
    expect(choosePrice([group], 25_000)).toEqual({
      usd: 40_000,
      method: 'pool_twap',
      pools: [poolOf(1), poolOf(9)],
      liquidityUsd: 2_000_000,
      confidence: 'MODERATE',
    })
    const moment = { ...group, quote: { ...native, method: 'pool_spot', confidence: 'LOW' } as const }
    expect(choosePrice([moment], 25_000)).toMatchObject({ method: 'pool_spot', confidence: 'LOW' })
  })

  it('compares depths in dollars across quote tokens', () => {
    const native = { usd: 2_000, method: 'pool_twap', pools: [poolOf(9)], confidence: 'HIGH' } as const
    const throughNative = { points: [point(1, { mean: 1, depth: 100 })], quote: native }
    const price = choosePrice([byDollars(point(2, { mean: 2_100, depth: 150_000 })), throughNative], 25_000)
    expect(price).toMatchObject({ usd: 2_000, liquidityUsd: 200_000 })
  })
})

function byDollars(...points: PricePoint[]): PriceGroup {
  return { points, quote: dollar }
}

function point(n: number, facts: Partial<PricePoint>): PricePoint {
  return { pool: poolOf(n), mean: null, spot: facts.mean ?? 1, depth: 0, mostE18: 0n, hasPast: true, ...facts }
}

function poolOf(n: number): `0x${string}` {
  return `0x${String(n).repeat(40)}`
}
