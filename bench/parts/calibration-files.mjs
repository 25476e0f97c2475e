// The same claims about real pools, of which daily rows are known: date,firstPrice,high,low,lastPrice,volumeUsd,tvlUsd.
import { feesAhead, intervalOf, intervalOfDraws, volatilityAhead, yieldsAhead } from '@svc/lp-math'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inLogs, scored } from './calibration-score.mjs'
import { horizons, mean } from './calibration-windows.mjs'
import { sized } from './size.mjs'

const ages = [7, 30, 120]
/** What was chosen was chosen on these; what comes after them judges. */
export const daysOfChoice = 3 * 365

export function readPools(directory) {
  const files = readdirSync(directory).filter((name) => name.endsWith('.daily.csv'))
  if (files.length === 0) throw new Error(`--data ${directory}: no file whose name ends in .daily.csv`)
  return files.map((name) => readPool(name, readFileSync(join(directory, name), 'utf8')))
}

/** Windows that begin every third day after the first three years, or in all of a shorter file. */
export function fileClaims(pool) {
  const from = pool.closes.length > daysOfChoice + 180 ? daysOfChoice : 1
  const windows = ages.flatMap((age) => horizons.map((horizonDays) => ({ age, horizonDays })))
  return windows.flatMap(({ age, horizonDays }) => {
    const claims = []
    for (let now = Math.max(from, age + 1); now + horizonDays <= pool.closes.length; now += sized(3, 60)) {
      claims.push(...claimsAt(pool, { now, age, horizonDays }))
    }
    return claims
  })
}

function claimsAt(pool, { now, age, horizonDays }) {
  const about = { kind: pool.name, age, horizonDays }
  const days = pool.volumes.slice(now - age, now)
  const fees = feesAhead(days, { barSeconds: 86_400, horizonDays })
  const volatility = volatilityAhead(pool.closes.slice(now - age, now), { barSeconds: 86_400, horizonDays })
  const cameVolume = mean(pool.volumes.slice(now, now + horizonDays))
  const square = squareOf(pool.closes.slice(now - 1, now + horizonDays))
  if (fees === null || volatility === null || !(square > 0)) return []
  const volumeLogs = inLogs(intervalOf(fees), Number.MIN_VALUE)
  return [
    scored(volumeLogs, Math.log(Math.max(cameVolume, 0.02 * mean(days))), { ...about, of: 'fees' }),
    scored(inLogs(intervalOf(volatility), Number.MIN_VALUE), Math.log(Math.sqrt(square * 365)), {
      ...about,
      of: 'volatility',
    }),
    ...(now % 2 === 0 ? netClaims(pool, { now, horizonDays, about, fees, volatility, square }) : []),
  ]
}

/** Of the full range, whose part of the fees is that of its value in all that the pool holds: now for the claim, each day for what came. */
function netClaims(pool, { now, horizonDays, about, fees, volatility, square }) {
  const held = pool.tvls[now - 1]
  if (!(held > 0)) return []
  const [draws] = yieldsAhead([{ lower: 0, upper: Number.POSITIVE_INFINITY }], {
    model: { price: 1, sigma: 0, drift: 0, years: horizonDays / 365 },
    profile: { edges: Float64Array.of(0, Number.POSITIVE_INFINITY), liquidity: Float64Array.of(held / 2) },
    value: held * 1e-6,
    gasApr: 0,
    fees: { ...fees, location: fees.location + Math.log(pool.fee) },
    volatility,
    seed: 1,
  })
  let feeApr = 0
  for (let day = now; day < now + horizonDays; day += 1) {
    feeApr += (100 * 365 * pool.fee * pool.volumes[day]) / pool.tvls[day] / horizonDays
  }
  return [scored(intervalOfDraws(draws.netApr), feeApr - (100 * square * 365) / 8, { ...about, of: 'net yield' })]
}

function squareOf(closes) {
  return mean(closes.slice(1).map((close, day) => Math.log(close / closes[day]) ** 2))
}

function readPool(name, text) {
  const rows = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const told = rows.filter(([, first, , , last]) => Number(first) > 0 && Number(last) > 0)
  const column = (index) => Float64Array.from(told, (row) => Number(row[index]))
  const fee = Number(/-(\d+)\.daily\.csv$/.exec(name)?.[1] ?? 3_000) / 1e6
  return { name: name.replace('.daily.csv', ''), fee, closes: column(4), volumes: column(5), tvls: column(6) }
}
