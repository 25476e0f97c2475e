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
