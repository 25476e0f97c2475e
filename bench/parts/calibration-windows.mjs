// What is claimed in a window of a drawn pool, and what came.
import { createRandom, feesAhead, intervalOf, intervalOfDraws, volatilityAhead, yieldsAhead } from '@svc/lp-math'
import { inLogs, scored } from './calibration-score.mjs'

const ages = [7, 14, 30, 90, 365]
export const horizons = [7, 14, 30]

/** Windows of a pool: how many days of it are known, and how many lie ahead; a new pool is met from its first day on. */
export function windowsOf({ days }, count, random) {
  return Array.from({ length: count }, () => {
    const age = ages[Math.floor(random.uniform() * ages.length)]
    const horizonDays = horizons[Math.floor(random.uniform() * horizons.length)]
    const spare = Math.max(0, days - age - horizonDays)
    const now = age + (random.uniform() < 0.15 ? 0 : Math.floor(random.uniform() * spare))
    return { age, horizonDays, now, gaps: random.uniform() < 0.3 }
  }).filter(({ now, horizonDays }) => now + horizonDays <= days)
}

/** Claims about fees, volatility, net yield and the lead of one tier over another. */
export function claimsOf(pool, window, random) {
  const { age, horizonDays, now } = window
  const about = { kind: pool.kind, age, horizonDays }
  const past = [(now - age) * 24, now * 24]
  const ahead = [now * 24, (now + horizonDays) * 24]
  const fees = withGaps(pool.volumes.slice(...past), window, random)
  const feesForecast = feesAhead(fees, { barSeconds: 3_600, horizonDays })
  const hourly = volatilityOf(pool.returns.slice(...past), 3_600, horizonDays)
  const daily = volatilityOf(byDays(pool.returns.slice(...past)), 86_400, horizonDays)
  const came = {
    fees: mean(pool.volumes.slice(...ahead)) * 24,
    hourly: sigmaOf(pool.returns.slice(...ahead), 3_600),
    daily: sigmaOf(byDays(pool.returns.slice(...ahead)), 86_400),
  }
  if (feesForecast === null || hourly === null || daily === null || !(came.hourly > 0 && came.daily > 0)) return []
  const least = 0.02 * mean(fees.filter((fee) => fee >= 0)) * 24
  const logs = (forecast, value) => [inLogs(intervalOf(forecast), Number.MIN_VALUE), Math.log(value)]
  return [
    scored(...logs(feesForecast, Math.max(came.fees, least)), { ...about, of: 'fees' }),
    scored(...logs(hourly, came.hourly), { ...about, of: 'volatility, hourly closes' }),
    scored(...logs(daily, came.daily), { ...about, of: 'volatility, daily closes' }),
    ...yieldClaims(pool, { ...window, about, past, ahead, feesForecast, hourly }, random),
  ]
}

/** In a pool of liquidity 1 at a price of 1, whose fees pay for LVR in part or over again. */
function yieldClaims(pool, { now, horizonDays, about, past, ahead, feesForecast, hourly }, random) {
  const usual = sigmaOf(pool.returns, 3_600)
  const pay = ((0.4 + 2 * random.uniform()) * usual ** 2) / 4 / 365 / (mean(pool.volumes) * 24)
  const half = [0.5, 2, Number.POSITIVE_INFINITY][Math.floor(random.uniform() * 3)] * usual * Math.sqrt(30 / 365)
  const bounds = { lower: Math.exp(-half), upper: Math.exp(half) }
  const value = 1e-6
  const outlook = {
    model: { price: 1, sigma: usual, drift: 0, years: horizonDays / 365 },
    profile: { edges: Float64Array.of(0, Number.POSITIVE_INFINITY), liquidity: Float64Array.of(1) },
    value,
    gasApr: 0,
    volatility: hourly,
    seed: 1,
  }
  const scaled = (forecast, factor) => ({ ...forecast, location: forecast.location + Math.log(factor) })
  const [draws] = yieldsAhead([bounds], { ...outlook, fees: scaled(feesForecast, pay) })
  const depthNow = pool.depths[now * 24 - 1]
  const share = Float64Array.from(pool.depths.slice(...ahead), (depth) => depthNow / depth)
  const volumes = pool.volumes.slice(...ahead)
  const net = cameOf({
    returns: pool.returns.slice(...ahead),
    fees: volumes.map((one, hour) => one * pay * share[hour]),
    bounds,
    horizonDays,
  })
  const tiers = tierClaims({ pool, past, ahead, pay, outlook, horizonDays, about }, random)
  return [scored(intervalOfDraws(draws.netApr), net, { ...about, of: 'net yield' }), ...tiers]
}

/** The trade of the pair goes to two pools, to each in a share that wanders. */
function tierClaims({ pool, past, ahead, pay, outlook, horizonDays, about }, random) {
  const keep = 0.5 ** (1 / (24 * (5 + 60 * random.uniform())))
  const size = 0.2 + 0.5 * random.uniform()
  let wander = size * random.normal()
  const shares = Float64Array.from({ length: ahead[1] - past[0] }, () => {
    wander = keep * wander + size * Math.sqrt(1 - keep ** 2) * random.normal()
    return 1 / (1 + Math.exp(-wander))
  })
  const volumes = [0, 1].map((tier) =>
    pool.volumes
      .slice(past[0], ahead[1])
      .map((one, hour) => 2 * pay * one * (tier === 0 ? shares[hour] : 1 - shares[hour])),
  )
  const known = past[1] - past[0]
  const forecasts = volumes.map((all) => feesAhead(all.slice(0, known), { barSeconds: 3_600, horizonDays }))
  if (forecasts.includes(null)) return []
  const bounds = { lower: 0, upper: Number.POSITIVE_INFINITY }
  const [one, other] = forecasts.map((fees, tier) => yieldsAhead([bounds], { ...outlook, fees, tier })[0].netApr)
  const returns = pool.returns.slice(...ahead)
  const [first, second] = volumes.map((all) => cameOf({ returns, fees: all.slice(known), bounds, horizonDays }))
  return [
    scored(intervalOfDraws(one.map((net, future) => net - other[future])), first - second, {
      ...about,
      of: 'lead of a fee tier',
    }),
  ]
}

/** The net yield, percent a year, of a position that is too small to matter in a pool of liquidity 1. */
function cameOf({ returns, fees, bounds: { lower, upper }, horizonDays }) {
  const perValue = 1 / (2 - (Number.isFinite(upper) ? 1 / Math.sqrt(upper) + Math.sqrt(lower) : 0))
  let [log, sum] = [0, 0]
  for (const [hour, change] of returns.entries()) {
    const price = Math.exp(log)
    if (price >= lower && price < upper) sum += fees[hour] - (change ** 2 / 4) * Math.sqrt(price)
    log += change
  }
  return (100 * sum * perValue * 365) / horizonDays
}

function volatilityOf(returns, barSeconds, horizonDays) {
  return volatilityAhead(closesOf(returns), { barSeconds, horizonDays })
}

export function closesOf(returns) {
  let log = 0
  return Float64Array.of(1, ...Array.from(returns, (change) => Math.exp((log += change))))
}

export function byDays(returns) {
  return Float64Array.from({ length: returns.length / 24 }, (_, day) =>
    returns.slice(day * 24, day * 24 + 24).reduce((sum, one) => sum + one, 0),
  )
}

/** As the closes of bars show it. */
function sigmaOf(returns, barSeconds) {
  return Math.sqrt((mean(returns.map((one) => one ** 2)) * 365 * 86_400) / barSeconds)
}

/** A fifth of the days, but not the last, is not known of. */
function withGaps(fees, { gaps, age }, random) {
  if (!gaps) return fees
  for (let day = 0; day < age - 1; day += 1) if (random.uniform() < 0.2) fees.fill(Number.NaN, day * 24, day * 24 + 24)
  return fees
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function seeded(seed) {
  return createRandom(seed, 77)
}
