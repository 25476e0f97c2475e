import type { GridComponentOption, LegendComponentOption, SeriesOption, YAXisComponentOption } from 'echarts'
import type { Chart } from './backtest-parts.ts'
import type { StrategyCurve, TimedValue } from './backtest-data.ts'
import { axisLook, type FramePart } from '../frame.ts'
import { legendFontSize, legendItems } from '../legend-room.ts'
import type { Palette } from '../palette.ts'
import { showNumber } from '../show-number.ts'

/** What one strategy earned in fees until then, and what it lost until then against its tokens held: where the one crosses the other. */
export function backtestCourse(strategy: StrategyCurve, place: CoursePlace, palette: Palette): Course {
  const { part, left, color } = place
  const line = (name: string, values: readonly TimedValue[], type: 'solid' | 'dashed', ink: string): SeriesOption => ({
    type: 'line',
    silent: true,
    symbol: 'none',
    name,
    xAxisIndex: 2,
    yAxisIndex: 2,
    lineStyle: { color: ink, width: 1.5, type },
    itemStyle: { color: ink },
    data: values.map(({ at, valueUsd }) => [1_000 * at, valueUsd]),
  })
  return {
    heading: { text: `Fees and impermanent loss of "${strategy.name}"`, left, top: part.top - part.above },
    grid: { left: part.left, top: part.top, width: part.width, height: part.height, outerBoundsMode: 'none' },
    legend: {
      left: part.left,
      top: part.top - part.above + 22,
      itemGap: 12,
      itemWidth: 16,
      itemHeight: 4,
      icon: 'rect',
      selectedMode: false,
      data: legendItems([{ name: names.fees }, { name: names.loss }]),
      textStyle: { color: palette.faint, fontSize: legendFontSize },
    },
    yAxis: {
      type: 'value',
      gridIndex: 2,
      ...axisLook('US dollars', palette),
      nameGap: 58,
      axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber },
    },
    series: [
      line(names.fees, strategy.fees ?? [], 'solid', color),
      line(names.loss, strategy.il ?? [], 'dashed', palette.ink),
    ],
  }
}

/** `left` of the heading, `color` of the strategy. */
export type CoursePlace = { readonly part: Chart; readonly left: number; readonly color: string }

export type Course = {
  readonly heading: FramePart
  readonly grid: GridComponentOption
  readonly legend: LegendComponentOption
  readonly yAxis: YAXisComponentOption
  readonly series: readonly SeriesOption[]
}

const names = { fees: 'fees earned until then', loss: 'lost until then against the tokens held' }
