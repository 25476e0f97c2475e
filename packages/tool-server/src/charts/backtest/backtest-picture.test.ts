import { expect, test } from 'vitest'
import { backtestPicture } from './backtest-picture.ts'
import type { BacktestCurves } from './backtest-curves.ts'
import { backtestCurves } from '../picture-data.fixture.ts'
import { renderSvg } from '../../workers/run-work.ts'

const dataOf = (name: string, curves: BacktestCurves = backtestCurves()) => {
  const { series } = backtestPicture(curves).option
  const all = (Array.isArray(series) ? series : []) as { name: string; data: number[][] }[]
  return all.find((one) => one.name === name)?.data ?? []
}

test('each rebalance stands on the curve of its strategy, the first opening none of them', () => {
  const curves = backtestCurves()
  const narrow = curves.strategies[0]
  const marks = dataOf('narrow: rebalances')
  expect(marks.map(([at]) => at)).toEqual([14, 31, 43].map((day) => Date.UTC(2026, 8, 1 + day)))
  expect(marks[0]?.[1]).toBe(narrow?.equity[14]?.valueUsd)
  expect(dataOf('medium: rebalances')).toEqual([])
})

test('a rebalance between two points lies between their values', () => {
  const curves = backtestCurves()
  const [narrow] = curves.strategies
  if (narrow === undefined) throw new Error('no strategy')
  const [first, second] = narrow.equity
  const at = ((first?.at ?? 0) + (second?.at ?? 0)) / 2
  const ranges = [...narrow.ranges.slice(0, 1), { at, lower: 1, upper: 2 }]
  const marks = dataOf('narrow: rebalances', { ...curves, strategies: [{ ...narrow, ranges }] })
  expect(marks[0]?.[1]).toBeCloseTo(((first?.valueUsd ?? 0) + (second?.valueUsd ?? 0)) / 2, 8)
})

test('the band is that of the best strategy and reaches to the end; the error bar is as long as its fees are unsure', () => {
  const lower = dataOf('lower bound')
  expect(lower.map(([, price]) => price)).toEqual(
    [0, 14, 31, 43, 43].map((day) => expect.closeTo(0.9 * (2_900 + 260 * Math.sin(day / 9) + 4 * day), 8)),
  )
  expect(lower.at(-1)?.[0]).toBe(Date.UTC(2026, 9, 31))
  const [from, to] = dataOf('narrow: uncertainty of the fees')
  expect((to?.[1] ?? 0) - (from?.[1] ?? 0)).toBeCloseTo(2 * 0.18 * 830, 8)
})

test('the error bars stand beside each other after the last bar, and the legend says what they and the triangles are', () => {
  const curves = backtestCurves()
  const ats = curves.strategies.map(({ name }) => dataOf(`${name}: uncertainty of the fees`).map(([at]) => at ?? 0))
  const end = Date.UTC(2026, 9, 31)
  expect(new Set([end, ...ats.flat()]).size).toBe(4)
  expect(Math.min(...ats.flat())).toBeGreaterThan(end)
  const { legend, xAxis } = backtestPicture(curves).option as {
    legend: { data: (string | { name: string })[] }[]
    xAxis: { max: number }[]
  }
  expect(Math.max(...ats.flat())).toBeLessThan(xAxis[0]?.max ?? 0)
  expect(legend[0]?.data.slice(4)).toMatchObject([{ name: 'rebalances' }, { name: '± of the fees, at the end' }])
})

test.each([360, 1_000])(
  'at a width of %d no whisker touches the next, and each curve has its name at its end',
  (width) => {
    const curves = backtestCurves()
    const { option } = backtestPicture(curves, { width })
    const { series, grid, xAxis } = option as {
      series: { name: string; data: [number, number][]; label?: { formatter: () => string } }[]
      grid: { width: number }[]
      xAxis: { max: number }[]
    }
    const begin = 1_000 * (curves.prices[0]?.at ?? 0)
    const perPixel = ((xAxis[0]?.max ?? 0) - begin) / (grid[0]?.width ?? 1)
    const [, below] = xAxis
    expect(below?.max).toBe(1_000 * (curves.prices.at(-1)?.at ?? 0))
    expect(((below?.max ?? 0) - begin) / (grid[1]?.width ?? 1)).toBeCloseTo(perPixel, 3)
    const whiskers = series.filter(({ name }) => name.endsWith('uncertainty of the fees'))
    const ats = whiskers.map(({ data }) => (data[0]?.[0] ?? 0) / perPixel)
    // Each is 7 pixels wide.
    ats.slice(1).forEach((at, index) => expect(at - (ats[index] ?? 0)).toBeGreaterThan(8))
    const names = series.filter(({ name }) => name.endsWith(': its name'))
    expect(names.map(({ label }) => label?.formatter())).toEqual(['narrow', 'medium', 'full-range', 'HODL'])
    for (const { name, data } of names) {
      const line = series.find((one) => one.name === name.replace('its name', 'to its name'))?.data
      expect(line?.at(-1)).toEqual(data[0])
      expect(line?.[0]).toEqual(series.find((one) => `${one.name}: its name` === name)?.data.at(-1))
    }
  },
)

test('the full range has no bounds to draw', () => {
  const curves = backtestCurves()
  const data = dataOf('upper bound', { ...curves, strategies: curves.strategies.slice(2) })
  expect(data.map(([, price]) => price)).toEqual([null, null])
})

test('is drawn with its words, in both themes, and with nothing to show', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const svg = await renderSvg(backtestPicture(backtestCurves(), { theme }))
    const said = [
      'narrow +7.100 %',
      'US dollars',
      'USDC per WETH',
      'HODL',
      'Time (UTC)',
      'gas at 12 gwei',
      'A triangle is',
    ]
    expect(said.filter((words) => !svg.includes(words))).toEqual([])
    expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|href=/)
  }
  const empty = { ...backtestCurves(), strategies: [], prices: [], hodl: [] }
  expect(await renderSvg(backtestPicture(empty))).toContain('HODL')
})

const whole = backtestCurves()

test('the ranges, fees and losses shown are those of the strategy that is asked for, else of the best', async () => {
  const said = async (strategy?: string) => renderSvg(backtestPicture(whole, { strategy }))
  expect(await said()).toContain('Price, and the range of &quot;narrow&quot;')
  expect(await said()).toContain('Fees and impermanent loss of &quot;narrow&quot;')
  expect(await said('medium')).toContain('Price, and the range of &quot;medium&quot;')
  expect(await said('none of them')).toContain('the range of &quot;narrow&quot;')
  const seriesOf = (strategy: string) => {
    const { series } = backtestPicture(whole, { strategy }).option
    return (Array.isArray(series) ? series : []) as { name: string; data: [number, number | null][] }[]
  }
  const medium = whole.strategies[1]!
  const dataOf = (name: string) => seriesOf('medium').find((one) => one.name === name)?.data
  expect(dataOf('lower bound')?.[0]?.[1]).toBe(medium.ranges[0]?.lower)
  expect(dataOf('fees earned until then')).toEqual(medium.fees?.map(({ at, valueUsd }) => [1_000 * at, valueUsd]))
  expect(dataOf('lost until then against the tokens held')).toHaveLength(medium.il?.length ?? 0)
})

test('where the replay kept no fees over time, the picture leaves their chart out', () => {
  const plain = { ...whole, strategies: whole.strategies.map(({ fees: _fees, il: _il, ...one }) => one) }
  const [all, less] = [backtestPicture(whole), backtestPicture(plain)]
  expect(less.height).toBeLessThan(all.height - 130)
  expect(JSON.stringify(less.option)).not.toContain('impermanent loss of')
})
