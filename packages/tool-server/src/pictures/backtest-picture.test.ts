import { expect, test } from 'vitest'
import { backtestPicture, type BacktestCurves } from './backtest-picture.ts'
import { backtestCurves } from './picture-data.fixture.ts'
import { renderSvg } from './render-svg.ts'

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

test('the full range has no bounds to draw', () => {
  const curves = backtestCurves()
  const data = dataOf('upper bound', { ...curves, strategies: curves.strategies.slice(2) })
  expect(data.map(([, price]) => price)).toEqual([null, null])
})

test('is drawn with its words, in both themes, and with nothing to show', async () => {
  for (const theme of ['light', 'dark'] as const) {
    const svg = await renderSvg(backtestPicture(backtestCurves(), { theme }))
    const said = [
      'narrow +7.1 %',
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
