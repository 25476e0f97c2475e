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
  return showNumber(Number(value.toPrecision(2)))
}

const format = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 })
