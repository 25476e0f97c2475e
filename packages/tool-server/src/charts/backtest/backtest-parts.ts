import type { BacktestCurves, StrategyCurve } from './backtest-data.ts'
import { fullWidth, margins, wideFrom, type Grid, type Look } from '../palette.ts'
import { niceScale, type Scale } from '../nice-scale.ts'

/**
 * Two charts over one time, or three, with whiskers and names right of the upper one's curves; the legend between the first heading and its
 * axes, or beside the heading where there is room.
 */
export function backtestParts(look: Look, backtest: BacktestCurves): BacktestParts {
  const { strategies } = backtest
  const { width = fullWidth } = look
  const { above: head, below, left } = margins(look)
  const isNarrow = width < wideFrom
  const letters = Math.max(holding.length, ...strategies.map(({ name }) => name.length))
  const names = Math.min(Math.ceil(letterWidth * letters) + 8, Math.round(width * 0.2))
  const begin = isNarrow ? 74 : 84
  const across = { left: begin, width: width - begin - names - 6 }
  const span = spanOf(backtest, across.width)
  const value = isNarrow
    ? { ...across, top: head + 96, above: 96, height: 230 }
    : { ...across, top: head + 56, above: 56, height: 260 }
  const price = {
    left: begin,
    width: span.width,
    top: value.top + value.height + (isNarrow ? 62 : 80),
    above: 32,
    height: 180,
  }
  const legend = isNarrow ? { left: 8, top: head + 24, width: width - 16 } : { left: 300, top: head }
  const hasCourse = strategies.some(({ fees }) => fees !== undefined)
  // Two lines of a legend where it is narrow.
  const above = isNarrow ? 74 : 54
  const course = { ...price, top: price.top + price.height + 66 + above, above, height: 130 }
  const end = hasCourse ? course : price
  const height = end.top + end.height + 50 + below
  return { width, height, left, legend, value, price, course: hasCourse ? course : null, names, span }
}

export type BacktestParts = {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly legend: { readonly left: number; readonly top: number; readonly width?: number }
  readonly value: Chart
  readonly price: Chart
  /** Fees and loss over time; `null` where they are not known. */
  readonly course: Chart | null
  /** Pixels for the names right of the curves. */
  readonly names: number
  readonly span: Span
}

/** `above` its axes its heading begins. */
export type Chart = Grid & { readonly above: number }

/** Times in Unix seconds: of the last bar, from one whisker to the next, and where the whiskers end. */
type Span = { readonly days: number; readonly last: number; readonly apart: number; readonly until: number }

/** Of the letters of a name, as wide as a viewer's own font has them. */
const letterWidth = 6.6

/** What is compared with. */
export const holding = 'HODL'

/** How long it was replayed, and how wide that is; the whiskers stand beside each other after the last bar. */
function spanOf({ prices, strategies }: BacktestCurves, width: number) {
  const [first, last] = [prices[0]?.at ?? 0, prices.at(-1)?.at ?? 0]
  const room = Math.min(whiskerRoom * (strategies.length + 1), width / 3)
  const after = ((last - first) * room) / (width - room)
  const apart = after / (strategies.length + 1)
  return { days: (last - first) / 86_400, last, apart, until: last + after, width: width - room }
}

/** From one whisker to the next. */
const whiskerRoom = 10

/** In US dollars, over all curves and whiskers. */
export function valueScale({ strategies, hodl }: BacktestCurves): Scale {
  const ends = strategies.flatMap((one) => {
    const end = one.equity.at(-1)?.valueUsd
    return end === undefined ? [] : [end - offOf(one), end + offOf(one)]
  })
  const curves = [hodl, ...strategies.map(({ equity }) => equity)].flat()
  return niceScale([...ends, ...curves.map(({ valueUsd }) => valueUsd)], { withZero: false })
}

/** How far the fees of a strategy may lie off, in US dollars. */
export function offOf({ feesEarnedUsd, feeUncertaintyPct }: StrategyCurve): number {
  return (feesEarnedUsd * feeUncertaintyPct) / 100
}
