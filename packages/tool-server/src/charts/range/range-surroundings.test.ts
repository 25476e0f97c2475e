import { expect, test } from 'vitest'
import { rangeSurroundings } from './range-surroundings.ts'

const flat = { edges: Float64Array.of(0, Infinity), liquidity: Float64Array.of(7) }
const known = { price: 100, startsAt: [0, 3_600, 7_200], barSeconds: 3_600, nowSeconds: 10_800, profile: flat }

test('the price until now stands at the close of each bar that is known, days before now', () => {
  const { past } = rangeSurroundings({ ...known, closes: [98, null, 101] })
  expect(past).toEqual([
    { days: -7_200 / 86_400, price: 98 },
    { days: 0, price: 101 },
  ])
  const ahead = rangeSurroundings({ ...known, nowSeconds: 7_200, closes: [98, 99, 101] })
  expect(
    ahead.past.map(({ price }) => price),
    'nothing after now',
  ).toEqual([98, 99])
})

test('a long past is thinned, its last price kept', () => {
  const startsAt = Array.from({ length: 1_000 }, (_, bar) => bar * 3_600)
  const closes = startsAt.map((_, bar) => bar + 1)
  const { past } = rangeSurroundings({ ...known, startsAt, closes, nowSeconds: 3_600_000 })
  expect(past.length).toBeLessThanOrEqual(361)
  expect(past.at(-1)).toEqual({ days: 0, price: 1_000 })
})

test('the depth is the mean liquidity of each band, and the bands lie beside each other around the price', () => {
  const profile = { edges: Float64Array.of(0, 100, 150, Infinity), liquidity: Float64Array.of(0, 10, 2) }
  const { depth } = rangeSurroundings({ ...known, closes: [], profile })
  expect([depth[0]?.priceLower, depth.at(-1)?.priceUpper]).toEqual([25, 400].map((price) => expect.closeTo(price, 9)))
  for (const [index, band] of depth.slice(1).entries()) expect(band.priceLower).toBe(depth[index]?.priceUpper)
  const at = (price: number) => depth.find((band) => band.priceLower <= price && price < band.priceUpper)?.liquidity
  expect([at(60), at(120), at(300)].map((mean) => Math.round(1e9 * (mean ?? 0)) / 1e9)).toEqual([0, 10, 2])
  expect(at(150)).toBeGreaterThan(2)
  expect(at(150)).toBeLessThan(10)
})
