// npm run kills -- --kind registration [--seed N --count 200 --way WAY --json]: kills registrations with SIGKILL before and
// after everything durable or outward that they do, and at any other time; starts them again from what is in their folder,
// and holds result, folder, chain, faucet, pin service and bundler against each other. Prints a table, and exits 1 when
// anything does not hold.
import { parseArgs } from 'node:util'
import { createRandom } from './parts/kills-random.mjs'
import { kinds } from './parts/registration-kinds.mjs'
import { runTrial } from './parts/registration-trial.mjs'
import { openRegistrationWorld } from './parts/registration-world.mjs'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    count: { type: 'string', default: '200' },
    kind: { type: 'string', default: 'registration' },
    way: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  args: process.argv.slice(2).filter((word) => word !== '--'),
})
const wanted = Number(values.count)
const names = values.way === undefined ? Object.keys(kinds) : [values.way]
if (!names.every((name) => Object.hasOwn(kinds, name)) || !Number.isSafeInteger(wanted) || wanted < 1) {
  const choice = Object.keys(kinds).map((name) => JSON.stringify(name))
  console.error(`npm run kills -- --kind registration --seed N --count N [--way ${choice.join('|')}] [--json]`)
  process.exit(2)
}
const columns = ['kills', 'twice', 'lost', 'gaps', 'other']
/** Two processes keep a machine of two cores busy while one of them starts. */
const laneCount = 2
const say = (line) => console.error(line)
const summary = summarise(await kill())
if (values.json) console.log(JSON.stringify(summary))
else print(summary)
process.exitCode = summary.holds ? 0 : 1

async function kill() {
  const random = createRandom(values.seed)
  const world = await openRegistrationWorld({ report: say })
  const lanes = Array.from({ length: laneCount }, () => ({ registrar: null }))
  const done = []
  try {
    const known = await record(world, lanes)
    let tries = 0
    const work = async (lane) => {
      while (done.length < wanted && tries < wanted * 3) {
        const trial = choose(random, known, tries++)
        const result = await runTrial(world, lane, trial)
        const problems = listed(result.problems)
        if (result.kills === 0 && problems.length === 0) continue
        done.push({ ...trial, ...result })
        const place = `${trial.kind}, ${stepOf(trial.point)} (${trial.point.nth ?? trial.point.afterMs})`
        const lines = [`${done.length}/${wanted} ${place}: ${result.heard.join(', ')}`, ...problems]
        say(lines.join('\n  '))
      }
    }
    await Promise.all(lanes.map(work))
  } finally {
    for (const { registrar } of lanes) await registrar?.stop()
    await world.close()
  }
  return done
}

/** What a registration of each kind comes to and how long it takes: learned from one that is left alone. */
async function record(world, lanes) {
  const known = {}
  const left = [...names]
  const work = async (lane) => {
    for (let kind = left.shift(); kind !== undefined; kind = left.shift()) {
      const begin = performance.now()
      const alone = await runTrial(world, lane, { kind, name: `Alone (${kind})`, point: null })
      const problems = listed(alone.problems)
      if (problems.length > 0) throw new Error(`${kind} without a kill: ${problems.join('; ')}`)
      const times = new Map()
      const points = alone.points.map((label) => {
        times.set(label, (times.get(label) ?? 0) + 1)
        return { label, nth: times.get(label) }
      })
      known[kind] = { points, tookMs: performance.now() - begin }
    }
  }
  await Promise.all(lanes.map(work))
  return known
}

function choose(random, known, nth) {
  const kind = names[random.below(names.length)]
  const { points, tookMs } = known[kind]
  // First the step, then which time of it: else steps that are taken often would be all there is.
  const pick = () => {
    const labels = [...new Set(points.map(({ label }) => label))].toSorted((a, b) => (a < b ? -1 : 1))
    const label = labels[random.below(labels.length)]
    const times = points.filter((point) => point.label === label)
    return times[random.below(times.length)]
  }
  const [odds, share, again, atStart] = [random.next(), random.next(), random.next(), pick()]
  return {
    kind,
    name: `Kill ${values.seed}-${nth}`,
    point: odds < 0.2 ? { afterMs: Math.round(share * tookMs) } : pick(),
    // The process that goes on is killed, too.
    killAtStart: again < 0.25 ? { label: atStart.label, nth: 1 } : null,
  }
}

function stepOf({ label = 'at any time' }) {
  return label
}

function listed(problems) {
  return Object.entries(problems).flatMap(([name, list]) => list.map((text) => `${name}: ${text}`))
}

function summarise(results) {
  const rows = new Map()
  for (const { point, kills, problems } of results) {
    const step = stepOf(point)
    const row = rows.get(step) ?? { step, kills: 0, twice: 0, lost: 0, gaps: 0, other: 0 }
    row.kills += kills
    for (const name of columns.slice(1)) row[name] += problems[name].length
    rows.set(step, row)
  }
  const table = [...rows.values()].sort((a, b) => (a.step < b.step ? -1 : 1))
  const totals = Object.fromEntries(columns.map((name) => [name, table.reduce((sum, row) => sum + row[name], 0)]))
  const byKind = {}
  for (const { kind } of results) byKind[kind] = (byKind[kind] ?? 0) + 1
  const problems = results
    .filter((result) => listed(result.problems).length > 0)
    .map(({ kind, point, killAtStart, heard, problems }) => ({ kind, point, killAtStart, heard, problems }))
  const registrations = results.length
  return {
    seed: values.seed,
    registrations,
    ...totals,
    holds: registrations >= wanted && problems.length === 0,
    byKind,
    problems,
    table,
  }
}

function print({ table, seed, problems, registrations, byKind, ...totals }) {
  const line = (name, row) => `${name.padEnd(46)}${columns.map((column) => `${row[column]}`.padStart(8)).join('')}`
  console.log(line('step', Object.fromEntries(columns.map((name) => [name, name]))))
  for (const row of table) console.log(line(row.step, row))
  console.log(line(`all, ${registrations} registrations, seed ${seed}`, totals))
  console.log(
    Object.entries(byKind)
      .map(([kind, count]) => `${kind}: ${count}`)
      .join('; '),
  )
  for (const problem of problems) console.log(JSON.stringify(problem))
}
