import { expect, test } from 'vitest'
import { rangeResult } from '../picture-data.fixture.ts'
import { rangePicture } from './range-picture.ts'
import type { RangeResult } from './range-surroundings.ts'
import { renderSvg } from '../../workers/run-work.ts'

const seriesOf = (result: RangeResult) => {
  const { series } = rangePicture(result, 30).option
  return (Array.isArray(series) ? series : []) as { name: string; data: unknown[]; stack?: string }[]
}
const dataOf = (name: string) => seriesOf(rangeResult).find((one) => one.name === name)?.data ?? []

test('the bands of the fan add up to what the log-normal price stays below', () => {
  const layers = seriesOf(rangeResult).filter(({ stack }) => stack === 'fan')
  const tops = layers.map(({ data }) => (data.at(-1) as number[])[1] ?? 0)
  const total = (count: number) => tops.slice(0, count).reduce((sum, height) => sum + height, 0)
  // 3021.4 * exp(-0.62^2 * 30 / 730 + 0.62 * sqrt(30 / 365) * z), z of 5 % and of 95 %.
  expect(total(1)).toBeCloseTo(2_220.1013, 1)
  expect(total(5)).toBeCloseTo(3984.0276, 1)
  expect(total(3)).toBeCloseTo((dataOf('median').at(-1) as number[])[1] ?? 0, 8)
  expect(layers[0]?.data[0]).toEqual([0, 3_021.4])
})

test('the chosen range comes first, and what is beyond the scale is cut off', () => {
  const [below, range] = [dataOf('below'), dataOf('range')]
  expect(below[0]).toBe(2_486.2)
  expect((range[0] as { value: number }).value).toBeCloseTo(1_169.7, 6)
  const { yAxis } = rangePicture(rangeResult, 30).option as { yAxis: { min: number; max: number }[] }
  const [scale] = yAxis
  expect(below.at(-1)).toBe(scale?.min)
  expect((range.at(-1) as { value: number }).value).toBe((scale?.max ?? 0) - (scale?.min ?? 0))
})

test('the error bar of the fees is as long as the result says', () => {
  const ends = dataOf('uncertainty of its fees') as [number, number][]
  expect(ends.map(([loss]) => loss)).toEqual([-1.32, -1.32])
  expect(ends.map(([, fees]) => fees)).toEqual([expect.closeTo(31.5592, 8), expect.closeTo(50.8408, 8)])
})

test('each net yield is a bar from 0 with whiskers over 95 and 68 of 100 cases to come', () => {
  const ranges = [rangeResult.projections, ...rangeResult.candidateRanges]
  expect((dataOf('net') as { value: number }[]).map(({ value }) => value)).toEqual(
    ranges.map(({ expectedNetApr }) => expectedNetApr),
  )
  const drawn = seriesOf(rangeResult).filter(({ name }) => name === '68 and 95 of 100 cases')
  const whiskers = drawn.map(({ data }) => (data as [number | null, number][]).filter(([net]) => net !== null))
  expect(whiskers).toEqual([
    ranges.flatMap((one, index) => [
      [one.expectedNetAprLow95, index],
      [one.expectedNetAprHigh95, index],
    ]),
    ranges.flatMap((one, index) => [
      [one.expectedNetAprLow68, index],
      [one.expectedNetAprHigh68, index],
    ]),
  ])
})

test('a range that goes on beyond the scale is marked where it is cut off', () => {
  const cuts = seriesOf(rangeResult).filter(({ name }) => name === 'goes on beyond the scale')
  // +/-50 % and the full range, of the chosen one and six others.
  expect(cuts.map(({ data }) => (data as number[][]).map(([index]) => index))).toEqual([
    [5, 6],
    [5, 6],
  ])
  const said = (result: RangeResult) => JSON.stringify(rangePicture(result, 30, { isBare: true }).option.legend)
  expect(said(rangeResult)).toContain('goes on beyond the scale')
  const uncut = { ...rangeResult, candidateRanges: rangeResult.candidateRanges.slice(0, 3) }
  expect(said(uncut)).not.toContain('goes on beyond the scale')
})

test('is drawn with units, error, seed, method and every range, in both themes', async () => {
  const said = [
    'WETH/USDC on Ethereum, fee 0.05 %: range 2,486 to 3,656',
    'USDC per WETH',
    'Fees, % a year',
    'Expected impermanent loss, % in 30 days',
    'fees 41.2 % a year (95 %: 19 to 99)',
    '8,192 simulated paths (seed 1): at most 1.83 standard errors apart',
    'log-normal price without drift, volatility 62.0 % (+/- 7.1) a year (historical, 30d)',
    'full range: +2 ± 3',
    'chosen: +10 ± 17',
    'Net, % a year',
    '68 and 95 of 100 cases',
    'Whiskers: where the net yield of these days is to be found',
    'chosen, at other volatilities',
  ]
  for (const theme of ['light', 'dark'] as const) {
    const svg = await renderSvg(rangePicture(rangeResult, 30, { theme }))
    expect(said.filter((words) => !svg.includes(words))).toEqual([])
    expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|href=/)
  }
})

test('the title says when no range is expected to pay, and the line below of which one it speaks', async () => {
  const losing = { expectedNetApr: -3 }
  const lost = {
    ...rangeResult,
    projections: { ...rangeResult.projections, ...losing },
    candidateRanges: rangeResult.candidateRanges.map((one) => ({ ...one, ...losing })),
  }
  const svg = await renderSvg(rangePicture(lost, 30))
  expect(svg).toContain('WETH/USDC on Ethereum, fee 0.05 %: no range is expected to pay')
  expect(svg).toContain('Of range 2,486 to 3,656: in range 80.0 %')
})

test.each([
  ['no volatility', { volatility: { ...rangeResult.volatility, annualized: 0 } }],
  ['500 % volatility', { volatility: { ...rangeResult.volatility, annualized: 5 } }],
  ['the full range', { optimalRange: { ...rangeResult.optimalRange, priceLower: null, priceUpper: null } }],
  [
    'a tiny price',
    { currentPrice: 3e-13, optimalRange: { ...rangeResult.optimalRange, priceLower: 2e-13, priceUpper: 4e-13 } },
  ],
  ['no candidates and no simulation', { candidateRanges: [], simulation: undefined }],
] satisfies [string, Partial<RangeResult>][])('is drawn for %s', async (_, changed) => {
  for (const days of [0.05, 365]) {
    const svg = await renderSvg(rangePicture({ ...rangeResult, ...changed }, days))
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  }
})

test('words of a token are letters in the picture, whatever they hold', async () => {
  const svg = await renderSvg(rangePicture({ ...rangeResult, pair: '<script>alert(1)</script>/"&' }, 30))
  expect(svg).not.toContain('<script')
})

const surrounded: RangeResult = {
  ...rangeResult,
  past: Array.from({ length: 60 }, (_, day) => ({ days: day - 59, price: 2_900 + 2 * day })),
  depth: [
    { priceLower: 1_000, priceUpper: 3_000, liquidity: 40 },
    { priceLower: 3_000, priceUpper: 9_000, liquidity: 10 },
  ],
}

test('the price until now stands left of now, as far back as the horizon lies ahead', () => {
  const find = (days: number) => {
    const { series, xAxis } = rangePicture(surrounded, days).option as {
      series: { name: string; data: [number, number][] }[]
      xAxis: { min: number; max: number }[]
    }
    return { data: series.find(({ name }) => name === 'price until now')?.data, axis: xAxis[0] }
  }
  expect(find(30).data?.[0]).toEqual([-30, 2_958])
  expect(find(30).data?.at(-1)).toEqual([0, 3_018])
  expect(find(30).axis).toMatchObject({ min: -30, max: 30 })
  expect(find(365).data).toHaveLength(60)
  expect(find(0.5).data, 'one point is no line').toBeUndefined()
})

test('the liquidity of the pool lies behind the ranges, over the same scale of prices', async () => {
  const { series, yAxis } = rangePicture(surrounded, 30).option as {
    series: { name: string; data: number[] }[]
    yAxis: { min: number; max: number; data?: string[] }[]
  }
  const rows = series.find(({ name }) => name === 'liquidity of the pool')?.data ?? []
  const { min, max } = yAxis[1]!
  expect(yAxis[4]?.data).toHaveLength(rows.length)
  const at = (price: number) => rows[Math.floor(((price - min) / (max - min)) * rows.length)]
  expect([at(2_500), at(3_300)].map((mean) => Math.round(mean ?? 0))).toEqual([40, 10])
  const svg = await renderSvg(rangePicture(surrounded, 30))
  expect(svg).toContain('liquidity of the pool')
  expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  expect(await renderSvg(rangePicture(rangeResult, 30))).not.toContain('liquidity of the pool')
})

test('is the same text for the same picture, whatever else was drawn in the process', async () => {
  const once = await renderSvg(rangePicture(rangeResult, 30))
  expect(once).toContain('zr-cls-')
  expect(await renderSvg(rangePicture(rangeResult, 30))).toBe(once)
})
