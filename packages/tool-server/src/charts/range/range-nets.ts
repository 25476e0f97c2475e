import { columnOf, showNumber } from '../figures.ts'
import { axisLook, type AxesPart, legendFontSize, legendItems } from '../frame.ts'
import type { Palette } from '../palette.ts'
import type { RangeParts } from './range-parts.ts'
import type { RangeResult } from './range-surroundings.ts'

/** The net yield of each range as a bar, the chosen one first, with whiskers of one standard error to either side. */
export function rangeNets(result: RangeResult, parts: RangeParts, palette: Palette): AxesPart {
  const ranges = [{ ...result.projections, label: 'chosen' }, ...result.candidateRanges]
  const column = columnOf(ranges.map((one) => ({ value: one.expectedNetApr, error: one.expectedNetAprError })))
  const place = { xAxisIndex: 3, yAxisIndex: 3, silent: true }
  return {
    legend: {
      ...parts.netsLegend,
      itemWidth: 16,
      itemHeight: 9,
      data: legendItems([{ name: whiskers, icon: 'path://M0,2H1V4.5H15V2H16V8H15V5.5H1V8H0Z' }]),
      textStyle: { color: palette.faint, fontSize: legendFontSize },
    },
    xAxis: {
      type: 'value',
      gridIndex: 3,
      ...axisLook('Net, % a year', palette),
      axisLine: { show: false },
      axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber, hideOverlap: true },
      nameGap: 26,
    },
    yAxis: {
      type: 'category',
      gridIndex: 3,
      inverse: true,
      data: ranges.map(({ label, expectedNetApr, expectedNetAprError }) => {
        return `${label}: ${column.change(expectedNetApr)} ± ${column.error(expectedNetAprError)}`
      }),
      axisTick: { show: false },
      axisLine: { show: true, onZero: true, lineStyle: { color: palette.faint } },
      axisLabel: { color: palette.ink, fontSize: 11, interval: 0 },
    },
    series: [
      {
        ...place,
        type: 'bar',
        name: 'net',
        barWidth: '60%',
        data: ranges.map(({ expectedNetApr }, index) => ({
          value: expectedNetApr,
          itemStyle: { color: index === 0 ? palette.best : palette.faint, opacity: index === 0 ? 0.9 : 0.55 },
        })),
      },
      {
        ...place,
        type: 'line',
        name: whiskers,
        symbol: 'rect',
        symbolSize: [1.5, 7],
        lineStyle: { color: palette.ink, width: 1.5 },
        itemStyle: { color: palette.ink },
        connectNulls: false,
        data: ranges.flatMap(({ expectedNetApr: net, expectedNetAprError: off }, index) => [
          [net - off, index],
          [net + off, index],
          [null, index],
        ]),
      },
    ],
  }
}

const whiskers = '± one standard error'
