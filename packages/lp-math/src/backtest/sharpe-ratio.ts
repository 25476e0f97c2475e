/**
 * Sharpe ratio of a year from values a day apart: mean over standard deviation (n - 1) of the daily returns, times sqrt 365, with a
 * risk-free rate of 0. `null` below 14 returns, where a value is not above 0, and where returns vary by less than a hundredth of their mean, a
 * ratio above 1,911: of a price that stands still nothing is risked, and the ratio says nothing.
 */
export function sharpeRatio(dailyValues: readonly number[]): number | null {
  const returns = dailyValues.slice(1).map((value, day) => value / (dailyValues[day] ?? Number.NaN) - 1)
  if (returns.length < FEWEST_RETURNS || dailyValues.some((value) => !(value > 0))) return null
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1)
  const deviation = Math.sqrt(variance)
  // Below the rounding of the values themselves nothing varies.
  return deviation > 1e-14 && deviation > Math.abs(mean) / 100 ? (mean / deviation) * Math.sqrt(365) : null
}

const FEWEST_RETURNS = 14
