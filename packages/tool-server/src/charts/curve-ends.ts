import type { SeriesOption } from 'echarts'
import type { Palette } from './palette.ts'
import type { Box } from './place-labels.ts'
import type { Scale } from './frame.ts'

/**
 * The name of each curve beside its end, at the right edge of its axes, with a thin line from the one to the other. Names stand in
 * the order of the values, none on another while there is room for all.
 */
export function curveEnds(ends: readonly CurveEnd[], { grid, scale, until, room }: EndsPlace, palette: Palette) {
  const perPixel = (scale.max - scale.min) / grid.height
  const tops = spread(
    ends.map(({ valueUsd }) => (scale.max - valueUsd) / perPixel),
    grid.height,
  )
  return ends.flatMap(({ name, color, at, whiskerAt, valueUsd }, index): SeriesOption[] => {
    const place = [1_000 * until, scale.max - (tops[index] ?? 0) * perPixel]
    return [
      {
        type: 'line',
        silent: true,
        symbol: 'none',
        name: `${name}: to its name`,
        lineStyle: { color, width: 1, opacity: 0.7 },
        data: [[1_000 * at, valueUsd], [1_000 * whiskerAt, valueUsd], place],
      },
      {
        type: 'scatter',
        silent: true,
        clip: false,
        name: `${name}: its name`,
        symbolSize: 1,
        itemStyle: { color: 'transparent' },
        label: {
          show: true,
          position: 'right',
          distance: 3,
          formatter: () => name,
          color: palette.ink,
          fontSize: 11,
          width: room - 4,
          overflow: 'truncate',
        },
        data: [place],
      },
    ]
  })
}

export type CurveEnd = {
  readonly name: string
  readonly color: string
  /** Unix seconds: of the last point, and of the mark beside it. */
  readonly at: number
  readonly whiskerAt: number
  readonly valueUsd: number
}

/** The axes, where those of time end in Unix seconds, and the pixels right of them. */
export type EndsPlace = { readonly grid: Box; readonly scale: Scale; readonly until: number; readonly room: number }

/** Heights that are a line apart and between 0 and the last, as near as can be to those that are wanted. */
export function spread(wanted: readonly number[], last: number): readonly number[] {
  const apart = Math.min(lineHeight, last / Math.max(1, wanted.length - 1))
  const order = wanted.map((_, index) => index).toSorted((one, other) => (wanted[one] ?? 0) - (wanted[other] ?? 0))
  const places: number[] = []
  order.forEach((index, rank) => {
    const above = rank === 0 ? 0 : (places[rank - 1] ?? 0) + apart
    places.push(Math.max(above, wanted[index] ?? 0))
  })
  for (let rank = places.length - 1; rank >= 0; rank -= 1) {
    const most = last - apart * (places.length - 1 - rank)
    places[rank] = Math.min(places[rank] ?? 0, most)
  }
  return wanted.map((_, index) => places[order.indexOf(index)] ?? 0)
}

const lineHeight = 13
