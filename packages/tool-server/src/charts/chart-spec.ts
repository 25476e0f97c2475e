import { backtestPicture } from './backtest/backtest-picture.ts'
import type { BacktestCurves } from './backtest/backtest-curves.ts'
import type { Look, Picture } from './frame.ts'
import { rangePicture } from './range/range-picture.ts'
import type { RangeResult } from './range/range-surroundings.ts'

/** What a picture is made from: plain data that JSON keeps whole, so that it can be drawn elsewhere than where it was made. */
export type ChartSpec =
  | { readonly kind: 'range'; readonly result: RangeResult; readonly horizonDays: number }
  | { readonly kind: 'backtest'; readonly curves: BacktestCurves }

/** Without a theme an SVG has the colours that its viewer prefers, and a PNG is light. `width` in pixels. */
export type ChartRequest = Pick<Look, 'theme' | 'width'> & {
  readonly drawing: ChartSpec
  readonly format: 'svg' | 'png'
}

export function pictureOf(drawing: ChartSpec, look: Look = {}): Picture {
  if (drawing.kind === 'range') return rangePicture(drawing.result, drawing.horizonDays, look)
  return backtestPicture(drawing.curves, look)
}
