import type { SeriesOption } from 'echarts'
import type { Palette } from './palette.ts'
import type { RangeResult } from './range-picture.ts'
import { showNumber } from './show-number.ts'

/** Fees of each range against its loss; the chosen one with how far its fees may lie off, and with other volatilities. */
export function rangeFrontier(result: RangeResult, palette: Palette): SeriesOption[] {
  const { projections: chosen, candidateRanges, sensitivity, volatility } = result
  // Where labels would lie on one another the later ones are left out.
  const place = { xAxisIndex: 2, yAxisIndex: 2, silent: true, labelLayout: { hideOverlap: true } }
  const off = (chosen.expectedFeeApr * chosen.feeUncertaintyPct) / 100
  const label = { show: true, color: palette.ink, fontSize: 11, formatter: '{b}', minMargin: 4 }
  const moved = [...sensitivity, { ...chosen, annualized: volatility.annualized }].toSorted(
    (one, other) => one.annualized - other.annualized,
  )
  return [
    {
      ...place,
      type: 'line',
      name: 'other volatility',
      symbol: 'circle',
      symbolSize: 5,
      lineStyle: { color: palette.best, width: 1, type: 'dotted' },
      itemStyle: { color: palette.best },
      label: { show: true, color: palette.faint, fontSize: 10, formatter: '{b}' },
      data: moved.map((one, index) => ({
        label: { position: index === 0 ? 'right' : 'left' },
        name: one.annualized === volatility.annualized ? '' : `volatility ${showNumber(100 * one.annualized)} %`,
        value: [one.expectedIlPct, one.expectedFeeApr],
      })),
    },
    {
      ...place,
      type: 'line',
      name: 'uncertainty of the fees',
      symbol: 'rect',
      symbolSize: [10, 2],
      lineStyle: { color: palette.best, width: 2 },
      itemStyle: { color: palette.best },
      label: { ...label, color: palette.best, position: 'top' },
      data: [Math.max(0, chosen.expectedFeeApr - off), chosen.expectedFeeApr + off].map((fees, end) => ({
        name: end === 0 ? '' : 'chosen',
        value: [chosen.expectedIlPct, fees],
      })),
    },
    {
      ...place,
      type: 'scatter',
      name: 'ranges',
      symbolSize: 9,
      itemStyle: { color: palette.fan },
      label,
      // Neighbours would write over each other on one side.
      data: candidateRanges.map((one, index) => ({
        label: { position: index % 2 === 0 ? 'top' : 'right' },
        name: one.label,
        value: [one.expectedIlPct, one.expectedFeeApr],
      })),
    },
    {
      ...place,
      type: 'scatter',
      name: 'chosen',
      symbol: 'diamond',
      symbolSize: 14,
      itemStyle: { color: palette.best },
      data: [[chosen.expectedIlPct, chosen.expectedFeeApr]],
    },
  ]
}
