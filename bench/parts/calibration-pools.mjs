// Pools whose past and future are drawn together, hour by hour, so that what a forecast claims can be held against what came.
import { createRandom } from '@svc/lp-math'
import { drawGamma, drawPoisson } from './calibration-draws.mjs'

/**
 * What moves a pool beside the slow and the fast deviations that all have: bursts of trades alone, switches of volatility and of trade,
 * jumps with what follows them, GARCH, too few trades, or a price that is pegged.
 */
export const kinds = ['bursts', 'switches', 'jumps', 'garch', 'thin', 'pegged']

/** Hours of returns and volumes, and days of depth. One pool in four is new, and its trade grows or falls for weeks. */
export function drawPool(kind, seed, days) {
  const random = createRandom(seed, kinds.indexOf(kind))
  const pool = traits(kind, random)
  const from = pool.isNew ? 0 : -90 * 24
  const hours = days * 24
  const returns = new Float64Array(hours)
  const volumes = new Float64Array(hours)
  const depths = new Float64Array(hours)
  const state = { excitement: 0, after: 0, garch: 1, dayReturn: 0, isWild: false, isBusy: random.uniform() < 0.5 }
  for (let hour = from; hour < hours; hour += 1) {
    const sigma = stepSigma(pool, state, hour, random)
    const change = stepReturn(pool, state, sigma, random)
    const volume = stepVolume(pool, state, { hour, sigma, change }, random)
    const depth = Math.exp(step(pool.depth, random))
    if (hour < 0) continue
    returns[hour] = change
    volumes[hour] = volume
    depths[hour] = depth
  }
  return { kind, days, returns, volumes, depths }
}

function traits(kind, random) {
  const between = (low, high) => low + (high - low) * random.uniform()
  const spread = (low, high) => low * (high / low) ** random.uniform()
  const deviation = (size, halfLifeDays) => {
    const keep = 0.5 ** (1 / (24 * halfLifeDays))
    return { value: size * random.normal(), keep, shock: size * Math.sqrt(1 - keep ** 2) }
  }
  const yearly = kind === 'pegged' ? spread(0.002, 0.03) : spread(0.25, 1.2)
  const garch = { shock: between(0.05, 0.12), fall: between(0, 0.06), memory: between(0.97, 0.995) }
  const jumps = { jumps: spread(4, 40), pegged: spread(1, 10) }[kind] ?? (random.uniform() < 0.5 ? spread(1, 4) : 0)
  return {
    kind,
    isNew: random.uniform() < 0.25,
    daily: yearly / Math.sqrt(365),
    calm: deviation(between(0.15, 0.45), spread(20, 120)),
    nervous: deviation(between(0.15, 0.45), spread(0.7, 5)),
    fashion: deviation(between(0.25, 0.8), spread(30, 250)),
    mood: deviation(between(0.15, 0.4), spread(2, 12)),
    depth: deviation(between(0.1, 0.4), spread(20, 200)),
    freedom: kind === 'pegged' ? 3.5 : between(3.5, 10),
    tradeBySigma: between(0.4, 1.1),
    weekend: between(0.55, 1),
    firstDay: Math.floor(between(0, 7)),
    trades: kind === 'thin' ? spread(0.05, 1) : spread(2, 200),
    followers: between(0.2, 0.8),
    forget: Math.exp(-1 / spread(0.7, 12)),
    sizeSpread: between(0.8, 1.7),
    garch,
    wild: { factor: between(0.4, 0.9), perHour: 1 / (24 * spread(20, 90)) },
    busy: { factor: between(0.5, 1.4), perHour: 1 / (24 * spread(40, 200)) },
    jumpsPerHour: jumps / 8_760,
    jumpSize: between(2, 5),
    ramp: { size: between(-2.5, 2.5), hours: 24 * spread(5, 60) },
  }
}

function step(deviation, random) {
  deviation.value = deviation.keep * deviation.value + deviation.shock * random.normal()
  return deviation.value
}

/** Logarithm of the volatility of the hour over the pool's usual one. */
function stepSigma(pool, state, hour, random) {
  const calm = step(pool.calm, random)
  const nervous = step(pool.nervous, random)
  state.after *= 0.97
  if (pool.kind === 'switches') {
    if (random.uniform() < pool.wild.perHour * (state.isWild ? 2 : 1)) state.isWild = !state.isWild
    if (random.uniform() < pool.busy.perHour) state.isBusy = !state.isBusy
  }
  if (pool.kind !== 'garch') return calm + nervous + state.after + (state.isWild ? pool.wild.factor : 0)
  if (hour % 24 === 0) {
    const { shock, fall, memory } = pool.garch
    const square = state.dayReturn ** 2
    const now = (shock + (state.dayReturn < 0 ? fall : 0)) * square + (memory - shock - fall / 2) * state.garch
    state.garch = Math.max(0.05, 1 - memory + now)
    state.dayReturn = 0
  }
  return Math.log(state.garch) / 2 + 0.4 * calm + state.after
}

function stepReturn(pool, state, sigma, random) {
  const scale = (pool.daily * Math.exp(sigma)) / Math.sqrt(24)
  const tail = Math.sqrt((pool.freedom - 2) / (2 * drawGamma(pool.freedom / 2, random)))
  let change = scale * random.normal() * tail
  if (random.uniform() < pool.jumpsPerHour) {
    change += pool.jumpSize * pool.daily * Math.exp(sigma) * random.normal()
    state.after += 0.2 + 0.6 * random.uniform()
  }
  state.dayReturn += change / pool.daily / Math.exp(0.4 * pool.calm.value)
  return change
}

/** A Hawkes process by the hour: each trade brings others, so many that `followers` of all are such; sizes are log-normal. */
function stepVolume(pool, state, { hour, sigma, change }, random) {
  const fashion = step(pool.fashion, random)
  const mood = step(pool.mood, random)
  const weekday = (Math.floor((hour + 9_072) / 24) + pool.firstDay) % 7
  const level =
    fashion +
    mood +
    pool.tradeBySigma * sigma +
    (weekday >= 5 ? Math.log(pool.weekend) : 0) +
    (pool.kind === 'switches' && state.isBusy ? pool.busy.factor : 0) +
    (pool.isNew ? pool.ramp.size * Math.exp(-hour / pool.ramp.hours) : 0)
  const moved = Math.abs(change) / ((pool.daily * Math.exp(sigma)) / Math.sqrt(24))
  const arriving = pool.trades * Math.exp(level) * (0.5 + Math.min(moved, 8) / 1.6)
  const count = drawPoisson(Math.min(arriving * (1 - pool.followers) + state.excitement, 20_000), random)
  state.excitement = state.excitement * pool.forget + pool.followers * (1 - pool.forget) * count
  if (count === 0) return 0
  const mean = count * Math.exp(pool.sizeSpread ** 2 / 2)
  const shape = count / Math.expm1(pool.sizeSpread ** 2)
  return (mean * drawGamma(shape, random)) / shape
}
