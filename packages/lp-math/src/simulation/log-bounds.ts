/** Bounds of a range as logarithms of the price over the price at the start. */
export type LogBounds = { readonly lower: number; readonly upper: number }
