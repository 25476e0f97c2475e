// npm run kills [-- --seed N --count 200 --engine sqlite|postgres --kind KIND --reorgs SHARE --lies --json]: kills the server with SIGKILL at points around
// everything durable or outward that a write does, starts it again, repeats the call under its key, and holds journal,
// ledger, audit log and answers against the chain. Prints a table, and exits 1 when anything does not hold.
import { parseArgs } from 'node:util'
import { bundleServer } from './parts/bundle-server.mjs'
import { engines } from './parts/kills-engines.mjs'
import { median } from './parts/figure.mjs'
import { kinds } from './parts/kills-kinds.mjs'
import { createRandom } from './parts/kills-random.mjs'
import { runTrial, stopServer } from './parts/kills-trial.mjs'
import { openWorld } from './parts/kills-world.mjs'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    count: { type: 'string', default: '200' },
    engine: { type: 'string', default: 'sqlite' },
    kind: { type: 'string' },
    reorgs: { type: 'string', default: '0.15' },
    lies: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  args: process.argv.slice(2).filter((word) => word !== '--'),
})
const wanted = Number(values.count)
const shareOfReorgs = Number(values.reorgs)
const isKind = values.kind === undefined || Object.hasOwn(kinds, values.kind)
if (
  !isKind ||
  !Object.hasOwn(engines, values.engine) ||
  !Number.isSafeInteger(wanted) ||
  wanted < 1 ||
  !(shareOfReorgs >= 0)
) {
  console.error(
    `npm run kills -- --seed N --count N --engine ${Object.keys(engines).join('|')} [--kind ${[...Object.keys(kinds), 'registration', 'takeover'].join('|')}] [--reorgs SHARE] [--lies] [--json]`,
  )
  process.exit(2)
}
const wantedKinds = values.kind === undefined ? Object.keys(kinds) : [values.kind]
const triesPerWorld = 30
const say = (line) => console.error(line)
const results = await kill()
const summary = summarise(results)
if (values.json) console.log(JSON.stringify(summary))
else print(summary)
process.exitCode = summary.holds ? 0 : 1

async function kill() {
  const random = createRandom(values.seed)
  // Faults have dice of their own: how often those are thrown depends on time, and a seed gives the same kills again.
  const faults = createRandom(`${values.seed}-faults`)
  const program = await bundleServer()
  const database = await engines[values.engine].start()
  const open = () => openWorld({ random: faults.next, database, program, report: say })
  const renew = async () => {
    await stopServer(running)
    await world?.close()
    world = await open()
  }
  let world = null
  let reorgs = 0
  const running = { server: null, confirmations: 0 }
  const done = []
  try {
    await renew()
    const points = await record(world, running)
    for (let tries = 0; done.length < wanted && tries < wanted * 3; tries += 1) {
      const withReorg = done.length >= wanted * (1 - shareOfReorgs)
      // A world that has been traded in for long refuses a day's last calls, and those say little.
      if (tries > 0 && tries % triesPerWorld === 0) await renew()
      // After some hundred blocks the local chain forgets, when blocks are taken away, what a transaction in the new ones did.
      if (withReorg && reorgs++ % 3 === 0) await renew()
      const trial = await choose(random, points, world, running, tries, withReorg)
      const result = await runTrial(world, running, trial)
      if (result.isVoid) {
        // What it did to its own blocks says nothing about a server that was dead at that time.
        say(`not counted: the local chain contradicts itself after it took blocks away: ${result.why}`)
        reorgs = 0
        continue
      }
      const problems = Object.entries(result.problems).flatMap(([name, list]) =>
        list.map((text) => [name, text].join(': ')),
      )
      const { databaseDies } = trial
      const marks = [
        databaseDies && `the database dies ${databaseDies === 'with' ? 'with it' : 'under the call'}`,
        trial.withFaults && 'faults',
        trial.reorgDepth > 0 && `reorg ${trial.reorgDepth}`,
      ].filter(Boolean)
      if (result.wasKilled || problems.length > 0) {
        done.push({ ...trial, ...result })
        say(
          `${done.length}/${wanted} ${trial.kind}, ${trial.point.label} (${trial.point.nth})${marks.map((mark) => `, ${mark}`).join('')}: ${result.answer}${[...problems, ...result.story].map((text) => `\n  ${text}`).join('')}`,
        )
      }
    }
  } finally {
    await stopServer(running)
    await world?.close()
    await database.stop()
  }
  return done
}

/** The points that a call of each kind comes to, with how often: learned from one that is left alone. */
async function record(world, running) {
  const points = {}
  for (const kind of wantedKinds) {
    const needed = await kinds[kind].needs?.(world)
    if (needed) await alone(world, running, needed, `before-${kind}`)
    const recorded = await alone(world, running, kind, `record-${kind}`)
    if (recorded.answer !== 'done') throw new Error(`${kind} without a kill ended with ${recorded.answer}`)
    const times = new Map()
    points[kind] = recorded.points.map((label) => {
      times.set(label, (times.get(label) ?? 0) + 1)
      return { label, nth: times.get(label) }
    })
  }
  return points
}

/** A call that nothing strikes. */
function alone(world, running, kind, key) {
  const quiet = {
    kind,
    key: `${values.seed}-${key}`,
    point: null,
    withFaults: false,
    reorgDepth: 0,
    killAtStart: null,
    databaseDies: null,
    endsBy: 'start',
  }
  return runTrial(world, running, quiet)
}

async function choose(random, points, world, running, nth, withReorg) {
  const kind = wantedKinds[random.below(wantedKinds.length)]
  const needed = await kinds[kind].needs?.(world)
  if (needed) await alone(world, running, needed, `prepare-${nth}`)
  // First the step, then which time of it: else steps that a call takes often would be all there is.
  const pick = () => {
    const labels = [...new Set(points[kind].map(({ label }) => label))]
    const label = labels[random.below(labels.length)]
    const times = points[kind].filter((point) => point.label === label)
    return times[random.below(times.length)]
  }
  return {
    kind,
    key: `${values.seed}-kill-${nth}`,
    point: pick(),
    withFaults: random.next() < 0.3,
    withLies: values.lies,
    // Last, since a server that waits for confirmations has settings of its own.
    reorgDepth: withReorg ? 1 + random.below(3) : 0,
    // A kill while the new server ends what the one before left.
    ...(world.database.dies === null ? { databaseDies: null } : databaseOdds(random)),
    killAtStart: random.next() < 0.25 ? { label: pick().label, nth: 1 } : null,
    endsBy: random.next() < 0.2 ? 'sweeper' : 'start',
  }
}

/** On an engine with a process of its own that one is killed, too: together with the server, or alone under the call. */
function databaseOdds(random) {
  const [odds, afterMs] = [random.next(), random.below(400)]
  return { afterMs, databaseDies: odds < 0.2 ? 'with' : odds < 0.4 ? 'during' : null }
}

function summarise(results) {
  const rows = new Map()
  for (const { point, problems, ready } of results) {
    const step = point.label
    const row = rows.get(step) ?? {
      step,
      kills: 0,
      duplicates: 0,
      lost: 0,
      open: 0,
      gaps: 0,
      ledger: 0,
      other: 0,
      readyMs: [],
    }
    row.kills += 1
    for (const name of ['duplicates', 'lost', 'open', 'gaps', 'ledger', 'other']) row[name] += problems[name].length
    row.readyMs.push(...ready.map(({ sinceBootMs }) => sinceBootMs))
    rows.set(step, row)
  }
  for (const row of rows.values()) row.readyMs = round(median(row.readyMs))
  const readings = results.flatMap(({ ready }) => ready)
  const table = [...rows.values()].sort((a, b) => (a.step < b.step ? -1 : 1))
  const total = (name) => table.reduce((sum, row) => sum + row[name], 0)
  const problems = results
    .filter(({ problems }) => Object.values(problems).some((list) => list.length > 0))
    .map(({ kind, point, withFaults, reorgDepth, killAtStart, databaseDies, answer, problems, story }) => ({
      kind,
      point,
      withFaults,
      reorgDepth,
      killAtStart,
      databaseDies,
      answer,
      problems,
      story,
    }))
  const answers = {}
  for (const { answer } of results) answers[answer] = (answers[answer] ?? 0) + 1
  return {
    seed: values.seed,
    engine: values.engine,
    kills: total('kills'),
    withReorg: results.filter(({ reorgDepth }) => reorgDepth > 0).length,
    holds: results.length >= wanted && problems.length === 0,
    duplicates: total('duplicates'),
    lost: total('lost'),
    open: total('open'),
    gaps: total('gaps'),
    ledgerMismatches: total('ledger'),
    other: total('other'),
    readyMs: round(median(readings.map(({ sinceBootMs }) => sinceBootMs))),
    readyCpuMs: round(median(readings.map(({ cpuMs }) => cpuMs))),
    readyWithNodeMs: round(median(readings.map(({ sinceStartMs }) => sinceStartMs))),
    answers,
    problems,
    table,
  }
}

function print({ table, seed, engine, ...totals }) {
  const columns = ['kills', 'duplicates', 'lost', 'open', 'gaps', 'ledger', 'other', 'readyMs']
  console.log(`${'step'.padEnd(46)}${columns.map((name) => name.padStart(11)).join('')}`)
  for (const row of table)
    console.log(`${row.step.padEnd(46)}${columns.map((name) => `${row[name]}`.padStart(11)).join('')}`)
  const all = [
    totals.kills,
    totals.duplicates,
    totals.lost,
    totals.open,
    totals.gaps,
    totals.ledgerMismatches,
    totals.other,
    totals.readyMs,
  ]
  console.log(`${`all, ${engine}, seed ${seed}`.padEnd(46)}${all.map((value) => `${value}`.padStart(11)).join('')}`)
  console.log(
    `ready again in ${totals.readyMs} ms (median; ${totals.readyWithNodeMs} ms with Node's own start, ${totals.readyCpuMs} ms of CPU)`,
  )
  for (const { story, ...problem } of totals.problems) console.log([JSON.stringify(problem), ...story].join('\n  '))
}

function round(value) {
  return value === undefined || Number.isNaN(value) ? null : Math.round(value)
}
