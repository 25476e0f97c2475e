import { describe, expect, it } from 'vitest'
import { bandAt, usd } from './evidence.fixture.ts'
import { boundJump, type SeenBand } from './price-range.ts'

const now = 1_800_000_000
const hour = 3_600
const seen = (dollars: number, ageSeconds: number): SeenBand => ({ ...bandAt(dollars), atSeconds: now - ageSeconds })
/** What a hundred dollars can have become by four deviations of a volatility, in percent a year. */
const reach = (sigmaPct: number, hours: number) => 100 * Math.exp(4 * (sigmaPct / 100) * Math.sqrt(hours / 8_760))

describe('boundJump', () => {
  it.each<readonly [string, readonly SeenBand[], number | null]>([
    ['nothing seen', [], null],
    ['one sighting: at least 60 % a year', [seen(100, 4 * hour)], reach(60, 4)],
    ['one of just now: as much room as in an hour', [seen(100, 1)], reach(60, 1)],
    ['one of the whole day', [seen(100, 24 * hour)], reach(60, 24)],
    ['an older one', [seen(100, 24 * hour + 1)], null],
    ['one from the future', [seen(100, -1)], null],
    ['calm ones', [seen(100, 3 * hour), seen(100, 2 * hour)], reach(60, 2)],
    ['lively ones', [seen(99, 3 * hour), seen(100, 2 * hour)], reach(100 * Math.log(100 / 99) * Math.sqrt(8_760), 2)],
    ['wild ones: at most 300 % a year', [seen(50, 3 * hour), seen(100, 2 * hour)], reach(300, 3) / 2],
    ['ones in any order', [seen(100, 2 * hour), seen(50, 3 * hour)], reach(300, 3) / 2],
  ])('after %s', (_what, sightings, most) => {
    const jumped = { lowE18: usd(1_000), highE18: usd(1_100) }
    const { range, bound } = boundJump(jumped, sightings, now)
    expect(range.highE18).toBe(usd(1_100))
    expect(Number(range.lowE18) / 1e18).toBeCloseTo(most ?? 1_000, 6)
    expect(bound === null).toBe(most === null)
  })

  it('reaches down as far as up, and leaves what overlaps as it is', () => {
    const sightings = [seen(100, hour)]
    const fallen = boundJump({ lowE18: usd(10), highE18: usd(20) }, sightings, now).range
    expect(fallen.lowE18).toBe(usd(10))
    expect((Number(fallen.highE18) / 1e18) * reach(60, 1)).toBeCloseTo(10_000, 3)
    const moved = { lowE18: usd(102), highE18: usd(200) }
    expect(boundJump(moved, sightings, now)).toEqual({ range: moved, bound: null })
  })

  it('is not got round by many small jumps', () => {
    const creeping = [240, 180, 120, 60].map((minutes, index) => seen(100 * 1.02 ** index, minutes * 60))
    const { range } = boundJump({ lowE18: usd(200), highE18: usd(200) }, creeping, now)
    const single = boundJump({ lowE18: usd(200), highE18: usd(200) }, creeping.slice(-1), now)
    expect(range.lowE18).toBeLessThan(usd(120))
    expect(range.lowE18).toBeGreaterThan(usd(100))
    expect(single.range.lowE18).toBeLessThan(usd(110))
  })
})
