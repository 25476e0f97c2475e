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

/** Four digits that count, thousands apart: 3,021, 0.0004213, 1.204. */
export function showNumber(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-6 || Math.abs(value) >= 1e12)) return value.toExponential(2)
  return format.format(value)
}

/** As `showNumber`, its sign always shown: what was gained or lost. */
export function showChange(value: number): string {
  return value > 0 ? `+${showNumber(value)}` : showNumber(value)
}

/** How far a figure may be off: more than two digits of that say nothing. */
export function showError(value: number): string {
  return showWithError(0, value).error
}

/** A figure and how far it may be off: that to two digits, the figure to the same place. */
export function showWithError(value: number, error: number): WithError {
  const rounded = Number(error.toPrecision(2))
  if (!(rounded >= 1e-6 && rounded < 1e12)) {
    return { value: showNumber(value), change: showChange(value), error: showNumber(rounded) }
  }
  const place = Number(rounded.toExponential().split('e')[1]) - 1
  const unit = 10 ** place
  const digits = Math.max(0, -place)
  const show = (of: number, signDisplay: 'exceptZero' | 'negative') =>
    (place > 0 ? unit * Math.round(of / unit) : of).toLocaleString('en-US', {
      signDisplay,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  return { value: show(value, 'negative'), change: show(value, 'exceptZero'), error: show(rounded, 'negative') }
}

/** `change` is the value with its sign always shown. */
export type WithError = { readonly value: string; readonly change: string; readonly error: string }

const format = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 })

/**
 * How the figures of one column are shown: all to the same decimal place. With errors it is the second digit of the largest error;
 * else the fourth digit of the largest figure, and none behind the point where all are whole. Whole ones are never rounded away.
 */
/** An interval with as many digits as its width is worth; nothing where nothing forecasts it. */
export function showInterval(low: number | null, high: number | null): string | null {
  if (low === null || high === null) return null
  const column = columnOf([low, high].map((value) => ({ value, error: (high - low) / 4 })))
  return `${column.value(low)} to ${column.value(high)}`
}

export function columnOf(figures: readonly Figure[]): Column {
  const errors = figures.flatMap(({ error }) => (isKnown(error) ? [error] : []))
  const values = figures.flatMap(({ value }) => (isKnown(value) ? [Math.abs(value)] : []))
  const hasErrors = errors.some((error) => error > 0)
  const isCount = !hasErrors && values.every(Number.isInteger)
  const places = isCount ? 0 : hasErrors ? placesFor(errors, 2) : placesFor(values, 4)
  const show = (value: number, signDisplay: 'negative' | 'exceptZero') =>
    places > mostPlaces
      ? showNumber(value)
      : value.toLocaleString('en-US', { signDisplay, minimumFractionDigits: places, maximumFractionDigits: places })
  const least = 10 ** -places
  return {
    value: (value) => show(value, 'negative'),
    change: (value) => show(value, 'exceptZero'),
    error: (error) => (error > 0 && error < least / 2 ? `<${show(least, 'negative')}` : show(error, 'negative')),
  }
}

/** The notes of an answer without those that only explain members of it: where they are shown, columns have names of their own. */
export function notesForPeople(notes: readonly string[]): readonly string[] {
  return notes.filter((note) => !/\b(?:hodlBenchmark|vsHodlPct|marginalFeeApr|netApr|netAprError)\b/.test(note))
}

/** A figure of a column, with how far it may be off where that is known. */
export type Figure = { readonly value: number | null | undefined; readonly error?: number | undefined }

/** `change` is the value with its sign always shown. */
export type Column = Readonly<Record<'value' | 'change' | 'error', (figure: number) => string>>

const mostPlaces = 12

function isKnown(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Decimal places that show so many digits of the largest. */
function placesFor(values: readonly number[], digits: number): number {
  const largest = Math.max(0, ...values)
  if (largest === 0) return 0
  return Math.max(0, digits - 1 - Number(largest.toExponential(digits - 1).split('e')[1]))
}
