/** Sum of dollar values, rounded to millionths; null as soon as one of them is unknown. */
export function sumUsd(...values: readonly (number | null)[]): number | null {
  let sum = 0
  for (const value of values) {
    if (value === null) return null
    sum += value
  }
  return Math.round(sum * 1e6) / 1e6
}
