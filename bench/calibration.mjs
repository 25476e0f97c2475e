// Whether what the analytics say of the days ahead comes as often as they say: on pools that are drawn, whose future is known, and with
// --data DIR on daily rows of real ones. --seed N draws other pools, windows and futures; 1 without it. --candidates scores forecasts that
// were not chosen beside the chosen ones.
import { candidateFigures } from './parts/calibration-candidates.mjs'
import { fileClaims, readPools } from './parts/calibration-files.mjs'
import { drawPool, kinds } from './parts/calibration-pools.mjs'
import { coverageFigures, groups, summaryOf } from './parts/calibration-score.mjs'
import { claimsOf, seeded, windowsOf } from './parts/calibration-windows.mjs'
import { winnerClaims } from './parts/calibration-winner.mjs'
import { sized } from './parts/size.mjs'

export async function run(report) {
  const directory = valueOf('--data')
  if (process.argv.includes('--candidates')) return candidateFigures(seed(), directory)
  const ofFiles = directory === null ? [] : readPools(directory).flatMap((pool) => filesFigures(pool, report))
  const claims = drawnClaims()
  for (const [of, own] of groups(claims, 'of')) {
    const { crps, width } = summaryOf(own)
    report(`${of}: score ${crps.toFixed(4)}, width ${width.toFixed(2)}`)
    for (const member of ['kind', 'age', 'horizonDays']) report(`  by ${member}: ${rowOf(groups(own, member))}`)
  }
  const ofDrawn = groups(claims, 'of').flatMap(([of, own]) =>
    coverageFigures(`${of}, drawn pools`, own, { bar68: 4, bar95: 2, reference: 'what the interval says' }),
  )
  return [...ofDrawn, ...ofFiles]
}

function seed() {
  return Number(valueOf('--seed') ?? 1)
}

function valueOf(flag) {
  const at = process.argv.indexOf(flag)
  return at === -1 ? null : process.argv[at + 1]
}

function drawnClaims() {
  const run = seed()
  const random = seeded(1 + run)
  const claims = []
  for (const kind of kinds) {
    for (let each = 0; each < sized(30, 1); each += 1) {
      const pool = drawPool(kind, 1_000 * run + each, sized(560, 420))
      for (const window of windowsOf(pool, sized(14, 3), random)) claims.push(...claimsOf(pool, window, random))
      claims.push(...winnerClaims(pool, random))
    }
  }
  return claims
}

/** Days of one file follow each other: a perfect method scatters by six points there. */
function filesFigures(pool, report) {
  const claims = fileClaims(pool)
  for (const [of, own] of groups(claims, 'of')) report(`${pool.name}, ${of}, by age: ${rowOf(groups(own, 'age'))}`)
  return groups(claims, 'of').flatMap(([of, own]) =>
    groups(own, 'horizonDays').flatMap(([days, at]) =>
      coverageFigures(`${pool.name}: ${of}, ${days} days`, at, {
        bar68: 10,
        bar95: 6,
        bar95Middle: 94,
        reference: 'what the interval says',
      }),
    ),
  )
}

function rowOf(rows) {
  return rows
    .map(([name, claims]) => {
      const { of68, of95 } = summaryOf(claims)
      return `${name} ${of68.toFixed(0)}/${of95.toFixed(0)}`
    })
    .join(', ')
}
