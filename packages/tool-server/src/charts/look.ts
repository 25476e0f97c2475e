import type { Theme } from './palette.ts'

/** How a picture looks where it is shown. */
export type Look = {
  readonly theme?: Theme
  /** In pixels, at least 320; 1,000 unless given. Where it is narrow the parts stand below each other. */
  readonly width?: number
  /** Without title and caption, for a page that says them itself. */
  readonly isBare?: boolean
  /** Whose ranges, fees and losses are shown, where there are several; the best one's unless given. */
  readonly strategy?: string | undefined
}

/** A part of a picture: where its heading begins, and its axes. */
export type Part = { readonly left: number; readonly top: number; readonly grid: Grid }

export type Grid = { readonly left: number; readonly top: number; readonly width: number; readonly height: number }

export const fullWidth = 1_000

/** From here on parts fit beside each other. */
export const wideFrom = 720

/** Room above the first part and below the last: for title and caption, or none; and where headings begin. */
export function margins({ isBare = false, width = fullWidth }: Look) {
  // A heading has five pixels around it, which a page has no use for.
  return isBare ? { above: 6, below: 4, left: -5 } : { above: 74, below: 78, left: width < wideFrom ? 12 : 24 }
}
