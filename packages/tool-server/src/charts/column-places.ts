import { showNumber } from './show-number.ts'

/**
 * How the figures of one column are shown: all to the same decimal place. With errors it is the second digit of the largest error;
 * else the fourth digit of the largest figure, and none behind the point where all are whole. Whole ones are never rounded away.
 */
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
