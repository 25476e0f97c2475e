import type { Room } from '../frame.ts'
import { fullWidth, wideFrom, type Look, type Part } from '../palette.ts'

/** Where the parts of the picture of so many ranges stand: in two rows and two columns, or all below each other. */
export function rangeParts({ width = fullWidth }: Look, ranges: number, room: Room): RangeParts {
  return width >= wideFrom ? inColumns(width, ranges, room) : stacked(width, ranges, room)
}

export type RangeParts = {
  readonly width: number
  readonly height: number
  readonly isNarrow: boolean
  readonly fan: Part
  readonly ranges: Part
  readonly frontier: Part
  readonly nets: Part
  readonly legend: LegendPlace
  readonly rangesLegend: LegendPlace
  readonly frontierLegend: LegendPlace
  readonly netsLegend: LegendPlace
}

type LegendPlace = { readonly left: number; readonly top: number; readonly width?: number }

/** Of one range among the net yields. */
const rowHeight = 18

function inColumns(width: number, ranges: number, { above, below, left }: Room): RangeParts {
  const fan = Math.round((width - 170) * 0.578)
  const right = 84 + fan + 56
  const part = (from: number, top: number, grid: Part['grid']) => ({ left: from, top, grid })
  const second = above + 344
  const lower = { top: second + 70, height: Math.max(170, rowHeight * ranges) }
  const labels = 96
  return {
    width,
    height: lower.top + lower.height + 50 + below,
    isNarrow: false,
    fan: part(left, above, { left: 84, top: above + 66, width: fan, height: 216 }),
    ranges: part(right, above, { left: right, top: above + 66, width: width - right - 30, height: 216 }),
    frontier: part(left, second, { ...lower, left: 84, width: fan }),
    nets: part(right, second, { ...lower, left: right + labels, width: width - right - labels - 30 }),
    legend: width < 900 ? { left: 84, top: above + 24 } : { left: 210, top: above },
    rangesLegend: { left: right, top: above + 22 },
    frontierLegend: { left: 84, top: second + 24, width: fan },
    netsLegend: { left: right, top: second + 24 },
  }
}

function stacked(width: number, ranges: number, { above, below, left }: Room): RangeParts {
  const part = (top: number, room: number, height: number, axis = 70): Part => ({
    left,
    top: above + top,
    grid: { left: axis, top: above + top + room, width: width - axis - 14, height },
  })
  const rows = Math.max(100, rowHeight * ranges)
  return {
    width,
    height: above + 1090 + rows + below,
    isNarrow: true,
    fan: part(0, 68, 210),
    ranges: part(340, 70, 190),
    nets: part(666, 54, rows, 140),
    frontier: part(666 + 54 + rows + 66, 78, 180),
    legend: { left: 70, top: above + 24 },
    rangesLegend: { left: 8, top: above + 340 + 22 },
    netsLegend: { left: 8, top: above + 666 + 24 },
    frontierLegend: { left: 8, top: above + 666 + 54 + rows + 66 + 24, width: width - 16 },
  }
}
