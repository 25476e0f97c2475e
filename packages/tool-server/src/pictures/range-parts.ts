import { fullWidth, margins, wideFrom, type Look, type Part } from './look.ts'

/** Where the parts of the picture of a range stand: two beside each other over a third, or all below each other. */
export function rangeParts(look: Look): RangeParts {
  const { width = fullWidth } = look
  const room = margins(look)
  return width >= wideFrom ? beside(width, room) : stacked(width, room)
}

export type RangeParts = {
  readonly width: number
  readonly height: number
  readonly isNarrow: boolean
  readonly fan: Part
  readonly ranges: Part
  readonly frontier: Part
  readonly legend: { readonly left: number; readonly top: number }
}

type Room = ReturnType<typeof margins>

function beside(width: number, { above, below, left }: Room): RangeParts {
  const fan = Math.round((width - 170) * 0.578)
  const right = 84 + fan + 56
  const part = (from: number, top: number, grid: Part['grid']) => ({ left: from, top, grid })
  return {
    width,
    height: above + 586 + below,
    isNarrow: false,
    fan: part(left, above, { left: 84, top: above + 50, width: fan, height: 216 }),
    ranges: part(right, above, { left: right, top: above + 50, width: width - right - 30, height: 216 }),
    frontier: part(left, above + 328, { left: 84, top: above + 378, width: width - 114, height: 158 }),
    legend: width < 900 ? { left: 84, top: above + 24 } : { left: 210, top: above },
  }
}

function stacked(width: number, { above, below, left }: Room): RangeParts {
  const part = (top: number, height: number): Part => ({
    left,
    top: above + top,
    grid: { left: 70, top: above + top + 52, width: width - 84, height },
  })
  return {
    width,
    height: above + 946 + below,
    isNarrow: true,
    fan: part(0, 210),
    ranges: part(324, 190),
    frontier: part(664, 180),
    legend: { left: 70, top: above + 24 },
  }
}
