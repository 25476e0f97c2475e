// HAR(1, 5, 22) on logarithms, a candidate that was not chosen. Source: Corsi, "A simple approximate long-memory model of realized
// volatility", Journal of Financial Econometrics 7 (2009).
import { inverseNormalCdf } from '@svc/lp-math'

const month = 22

/** Where the logarithm of the mean of the days ahead lies, from the days of one pool alone: least squares over its own past. */
export function harAhead(days, horizonDays) {
  const logs = floored(days)
  const rows = []
  for (let now = month; now + horizonDays <= logs.length; now += 1) {
    rows.push({ seen: seenAt(logs, now), came: logMean(logs.slice(now, now + horizonDays)) })
  }
  return intervalAt(fitted(rows), seenAt(logs, logs.length))
}

/** What many pools say together of each horizon, with the scatter of what it missed. */
export function createPooledHar(pasts) {
  const fits = new Map()
  const rowsOf = (horizonDays) =>
    pasts.flatMap((days) => {
      const logs = floored(days)
      const rows = []
      for (let now = 90; now + horizonDays <= logs.length; now += 30) {
        rows.push({ seen: seenAt(logs, now), came: logMean(logs.slice(now, now + horizonDays)) })
      }
      return rows
    })
  return (days, horizonDays) => {
    if (!fits.has(horizonDays)) fits.set(horizonDays, fitted(rowsOf(horizonDays)))
    const logs = floored(days)
    return intervalAt(fits.get(horizonDays), seenAt(logs, logs.length))
  }
}

/** Days that hardly saw anything would else count for more than all others. */
function floored(days) {
  const mean = days.reduce((sum, one) => sum + one, 0) / days.length
  return Array.from(days, (one) => Math.log(Math.max(one, 0.05 * mean)))
}

function seenAt(logs, now) {
  return [1, logs[now - 1], logMean(logs.slice(now - 5, now)), logMean(logs.slice(now - month, now))]
}

function logMean(logs) {
  return Math.log(logs.reduce((sum, log) => sum + Math.exp(log), 0) / logs.length)
}

/** Least squares, with a touch of a ridge: few days, and what they say thrice. */
function fitted(rows) {
  const size = rows[0].seen.length
  const square = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_column, column) =>
      rows.reduce((sum, { seen }) => sum + seen[row] * seen[column], row === column ? 1e-3 : 0),
    ),
  )
  const inverse = inverseOf(square)
  const sums = Array.from({ length: size }, (_, row) => rows.reduce((sum, { seen, came }) => sum + seen[row] * came, 0))
  const weights = inverse.map((row) => dot(row, sums))
  const off = rows.map(({ seen, came }) => came - dot(weights, seen))
  const scatter = dot(off, off) / Math.max(1, rows.length - size)
  return { weights, inverse, scatter }
}

function intervalAt({ weights, inverse, scatter }, seen) {
  const own = dot(
    inverse.map((row) => dot(row, seen)),
    seen,
  )
  const scale = Math.sqrt(scatter * (1 + own))
  const at = (probability) => dot(weights, seen) + scale * inverseNormalCdf(probability)
  return { low95: at(0.025), low68: at(0.16), high68: at(0.84), high95: at(0.975) }
}

/** Gauss and Jordan; what least squares have is positive definite. */
function inverseOf(square) {
  const rows = square.map((row, at) => [...row, ...row.map((_, column) => (column === at ? 1 : 0))])
  for (const [at, pivot] of rows.entries()) {
    const by = pivot[at]
    for (const [column, value] of pivot.entries()) pivot[column] = value / by
    for (const [other, row] of rows.entries()) {
      const times = row[at]
      if (other !== at) for (const [column, value] of pivot.entries()) row[column] -= times * value
    }
  }
  return rows.map((row) => row.slice(square.length))
}

function dot(one, other) {
  return one.reduce((sum, value, index) => sum + value * other[index], 0)
}
