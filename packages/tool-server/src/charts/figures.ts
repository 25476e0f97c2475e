/** What a view says in words beside its chart: all that a reader needs who does not see it. */
export type Figures = {
  readonly heading: string
  /** What is wanted first, each with how sure it is. */
  readonly facts: readonly Fact[]
  readonly tables: readonly Table[]
  /** What the chart shows, for whoever does not see it. */
  readonly chart: string
  readonly notes: readonly string[]
  /** How the figures were come by, with seed and model. */
  readonly method: string
}

export type Fact = { readonly label: string; readonly value: string; readonly detail: string }

export type Table = {
  readonly caption: string
  readonly columns: readonly string[]
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly string[])[]
}

/** `null` stands where a figure is not known. */
export function show(value: number | null | undefined, format: (value: number) => string, unit = ''): string {
  return value === null || value === undefined ? 'unknown' : `${format(value)}${unit}`
}

/** A share as percent, to a tenth. */
export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`
}
