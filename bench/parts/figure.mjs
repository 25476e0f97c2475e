/**
 * One row of a benchmark's answer. `bar` null means reported, not judged; `holds` compares value with the bar; `exact` is what no
 * machine changes.
 */
export function figure({ name, value, unit, reference, bar = null, atMost = true, exact = false }) {
  const rounded = Math.round(value * 100) / 100
  return {
    name,
    value: rounded,
    unit,
    reference,
    bar,
    holds: bar === null ? true : atMost ? rounded <= bar : rounded >= bar,
    exact,
  }
}

/** A row for what cannot be measured on this machine: it says why, and neither holds nor falls short. */
export function notMeasured({ name, unit, why, bar }) {
  return { name, value: null, unit, reference: `not measured: ${why}`, bar, holds: null, exact: false }
}

/** Whether a bar is missed; with `times` a figure that the machine moves may stray so many times over its bar. */
export function isMissed({ value, bar, holds, exact }, times) {
  if (bar === null || holds !== false) return false
  return exact || !(Math.max(value / bar, bar / value) <= times)
}

export function median(values) {
  return quantile(values, 0.5)
}

export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}
