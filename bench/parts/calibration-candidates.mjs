// Candidates that were not chosen, beside the chosen forecast on the same windows: HAR of the pool's own and of many pools, and GARCH. They
// take a quarter of a year at least: drawn pools of 90 and 365 days known, and with --data 120 days of the first three years of real ones.
import { feesAhead, intervalOf, volatilityAhead } from '@svc/lp-math'
import { daysOfChoice, readPools } from './calibration-files.mjs'
import { garchAhead } from './calibration-garch.mjs'
import { createPooledHar, harAhead } from './calibration-har.mjs'
import { drawPool, kinds } from './calibration-pools.mjs'
import { groups, inLogs, scored, summaryOf } from './calibration-score.mjs'
import { byDays, closesOf, horizons, mean, seeded, windowsOf } from './calibration-windows.mjs'
import { figure } from './figure.mjs'
import { sized } from './size.mjs'

const days = 560

/** A row for each forecast of each quantity: the score, with coverage and width beside it. */
export function candidateFigures(run, directory) {
  const training = poolsOf(2_000 * run)
  const pooled = {
    fees: createPooledHar(training.map(({ volumes }) => byDays(volumes))),
    variance: createPooledHar(training.map(({ returns }) => squares(returns))),
  }
  const random = seeded(500 + run)
  const drawn = poolsOf(1_000 * run).flatMap((pool) =>
    windowsOf(pool, sized(14, 3), random)
      .filter(({ age }) => age >= 90)
      .flatMap((window) => drawnClaims(pool, window, pooled)),
  )
  const real = directory === null ? [] : readPools(directory).flatMap((pool) => realClaims(pool, pooled))
  return [...rowsOf('drawn', drawn), ...rowsOf('real', real)]
}

function rowsOf(where, claims) {
  return groups(claims, 'of').map(([of, own]) => {
    const { count, of68, of95, crps, width } = summaryOf(own)
    return figure({
      name: `${where}, ${of}: score`,
      value: 100 * crps,
      unit: '/100',
      reference: `${count} windows: ${of68.toFixed(1)} and ${of95.toFixed(1)} % covered, width ${width.toFixed(2)}`,
      exact: true,
    })
  })
}

function poolsOf(from) {
  return kinds.flatMap((kind) => Array.from({ length: sized(30, 2) }, (_, seed) => drawPool(kind, from + seed, days)))
}

function drawnClaims({ returns, volumes }, { age, horizonDays, now }, pooled) {
  const past = (hours) => hours.slice((now - age) * 24, now * 24)
  const ahead = (hours) => hours.slice(now * 24, (now + horizonDays) * 24)
  const [fees, hours, daily] = [byDays(past(volumes)), past(returns), byDays(past(returns))]
  const came = {
    fees: Math.log(mean(byDays(ahead(volumes)))),
    hourly: Math.log(mean(squares(ahead(returns)))) / 2,
    daily: Math.log(mean(byDays(ahead(returns)).map((one) => one ** 2))) / 2,
  }
  if (!Object.values(came).every(Number.isFinite)) return []
  const about = { age, horizonDays }
  const claim = (of, interval, value) => scored(interval, value, { ...about, of })
  return [
    claim('fees, chosen', inLogs(intervalOf(feesAhead(fees, { barSeconds: 86_400, horizonDays })), 1e-300), came.fees),
    claim('fees, HAR of its own', harAhead(fees, horizonDays), came.fees),
    claim('fees, HAR of many pools', pooled.fees(fees, horizonDays), came.fees),
    claim('volatility of hours, chosen', chosenSigma(hours, 3_600, horizonDays), came.hourly),
    claim('volatility of hours, HAR of its own', halved(harAhead(squares(hours), horizonDays)), came.hourly),
    claim('volatility of hours, HAR of many pools', halved(pooled.variance(squares(hours), horizonDays)), came.hourly),
    claim('volatility of days, chosen', chosenSigma(daily, 86_400, horizonDays), came.daily),
    claim('volatility of days, GARCH', garchAhead(daily, horizonDays), came.daily),
  ]
}

/** Every third day of the years on which the choice was made. */
function realClaims({ closes, volumes }, pooled) {
  const age = 120
  const returns = Float64Array.from(closes.slice(1), (close, day) => Math.log(close / closes[day]))
  return horizons.flatMap((horizonDays) => {
    const claims = []
    for (let now = age + 1; now + horizonDays <= Math.min(daysOfChoice, closes.length); now += sized(3, 60)) {
      const [fees, daily] = [volumes.slice(now - age, now), returns.slice(now - age - 1, now - 1)]
      const [cameFees, cameDaily] = [
        Math.log(mean(volumes.slice(now, now + horizonDays))),
        Math.log(mean(returns.slice(now - 1, now - 1 + horizonDays).map((one) => one ** 2))) / 2,
      ]
      const claim = (of, interval, came) => claims.push(scored(interval, came, { age, horizonDays, of }))
      const chosen = inLogs(intervalOf(feesAhead(fees, { barSeconds: 86_400, horizonDays })), 1e-300)
      claim('fees, chosen', chosen, cameFees)
      claim('fees, HAR of its own', harAhead(fees, horizonDays), cameFees)
      claim('fees, HAR of many pools', pooled.fees(fees, horizonDays), cameFees)
      claim('volatility of days, chosen', chosenSigma(daily, 86_400, horizonDays), cameDaily)
      claim('volatility of days, GARCH', garchAhead(daily, horizonDays), cameDaily)
    }
    return claims
  })
}

/** Of a day, in the logarithm, as the others tell it. */
function chosenSigma(returns, barSeconds, horizonDays) {
  const interval = intervalOf(volatilityAhead(closesOf(returns), { barSeconds, horizonDays }))
  const logs = inLogs(interval, 1e-300)
  return Object.fromEntries(Object.entries(logs).map(([name, log]) => [name, log - Math.log(365) / 2]))
}

function halved(interval) {
  return Object.fromEntries(Object.entries(interval).map(([name, log]) => [name, log / 2]))
}

function squares(hours) {
  return byDays(hours.map((one) => one ** 2))
}
