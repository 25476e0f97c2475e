// GARCH(1,1) with innovations of Student's t, fitted to the returns of one pool: a candidate that was not chosen.
import { createRandom, intervalOfDraws } from '@svc/lp-math'
import { drawGamma } from './calibration-draws.mjs'

const paths = 400

/** Where the logarithm of the volatility a day of the days ahead lies: paths of the fitted process. */
export function garchAhead(returns, horizonDays) {
  const usual = returns.reduce((sum, one) => sum + one ** 2, 0) / returns.length
  const terms = termsOf(leastOf((point) => -logLikelihood(returns, usual, termsOf(point)), [3, -2, 1.5]))
  const random = createRandom(1, 5)
  const last = variancesOf(returns, usual, terms).at(-1)
  const draws = Float64Array.from({ length: paths }, () => {
    let [variance, sum] = [last, 0]
    for (let day = 0; day < horizonDays; day += 1) {
      const tail = Math.sqrt((terms.freedom - 2) / (2 * drawGamma(terms.freedom / 2, random)))
      const square = variance * (random.normal() * tail) ** 2
      sum += square
      variance = nextOf(variance, square, usual, terms)
    }
    return Math.log(sum / horizonDays) / 2
  })
  return intervalOfDraws(draws)
}

/** How much a shock and the variance before keep, together below 1; the variance that a pool comes back to is that of its past. */
function termsOf([kept, shocks, freedom]) {
  const whole = 0.999 / (1 + Math.exp(-kept))
  const ofShock = whole / (1 + Math.exp(-shocks))
  return { ofShock, ofVariance: whole - ofShock, freedom: 2.1 + Math.exp(Math.min(freedom, 5)) }
}

function nextOf(variance, square, usual, { ofShock, ofVariance }) {
  return usual * (1 - ofShock - ofVariance) + ofShock * square + ofVariance * variance
}

/** Of each day, and of the one after the last. */
function variancesOf(returns, usual, terms) {
  const variances = [usual]
  for (const one of returns) variances.push(nextOf(variances.at(-1), one ** 2, usual, terms))
  return variances
}

/** But for what does not depend on shocks and variance. */
function logLikelihood(returns, usual, terms) {
  const { freedom } = terms
  const perDay = logGamma((freedom + 1) / 2) - logGamma(freedom / 2) - Math.log(freedom - 2) / 2
  let [variance, sum] = [usual, returns.length * perDay]
  for (const one of returns) {
    const square = one ** 2
    sum -= (Math.log(variance) + (freedom + 1) * Math.log1p(square / variance / (freedom - 2))) / 2
    variance = nextOf(variance, square, usual, terms)
  }
  return sum
}

/** Stirling's series behind a few steps of the recursion. */
function logGamma(x) {
  if (x < 8) return logGamma(x + 1) - Math.log(x)
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3)
}

/** Source: Nelder and Mead, "A simplex method for function minimization", Computer Journal 7 (1965). */
function leastOf(value, start, rounds = 80) {
  const rated = (point) => ({ point, at: value(point) })
  const simplex = [rated(start), ...start.map((one, axis) => rated(start.with(axis, one + 1)))]
  for (let round = 0; round < rounds; round += 1) {
    simplex.sort((one, other) => one.at - other.at)
    const worst = simplex.pop()
    const middle = start.map((_, axis) => simplex.reduce((sum, { point }) => sum + point[axis], 0) / simplex.length)
    const along = (share) => rated(middle.map((one, axis) => one + share * (worst.point[axis] - one)))
    const turned = along(-1)
    const tried = turned.at < simplex[0].at ? along(-2) : turned.at < simplex.at(-1).at ? turned : along(0.5)
    const next = tried.at < turned.at ? tried : turned
    if (next.at < worst.at) simplex.push(next)
    else {
      const [{ point: best }] = simplex
      const shrunk = [...simplex.slice(1), worst].map(({ point }) =>
        rated(point.map((one, axis) => (one + best[axis]) / 2)),
      )
      simplex.splice(1, simplex.length, ...shrunk)
    }
  }
  return simplex.toSorted((one, other) => one.at - other.at)[0].point
}
