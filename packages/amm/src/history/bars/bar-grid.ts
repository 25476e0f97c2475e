/** The bars between two times (Unix seconds): the one that holds `from` is the first, the one before `to` the last. */
export function barGrid(from: number, to: number, barSeconds: number): BarGrid {
  const start = Math.floor(from / barSeconds) * barSeconds
  return { start, count: Math.max(0, Math.ceil((to - start) / barSeconds)), barSeconds }
}

export type BarGrid = {
  /** Unix seconds. */
  readonly start: number
  readonly count: number
  readonly barSeconds: number
}
