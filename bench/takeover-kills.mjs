// npm run kills -- --kind takeover [--seed N --kills 100 --freezes 50 --json]: two full servers of one wallet over one PostgreSQL. The
// leader is killed with SIGKILL, or stopped with SIGSTOP until the other has taken over and then let go on, at points around everything
// durable or outward that a write does; the call goes to the other server under its key. Holds answers, journal, ledger, audit logs and
// chain against each other, prints how long it took until the other led and until it had done the write, and exits 1 when anything does
// not hold.
import { parseArgs } from 'node:util'
import { bundleServer } from './parts/bundle-server.mjs'
import { median } from './parts/figure.mjs'
import { engines } from './parts/kills-engines.mjs'
import { kinds } from './parts/kills-kinds.mjs'
import { createRandom } from './parts/kills-random.mjs'
import { openPair } from './parts/takeover-pair.mjs'
import { alone, freeze, kill } from './parts/takeover-trial.mjs'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    kind: { type: 'string', default: 'takeover' },
    kills: { type: 'string', default: '100' },
    freezes: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
  },
  args: process.argv.slice(2).filter((word) => word !== '--'),
})
const wanted = { kill: Number(values.kills), freeze: Number(values.freezes) }
if (!Object.values(wanted).every((count) => Number.isSafeInteger(count) && count >= 0)) {
  console.error('npm run kills -- --kind takeover [--seed N --kills N --freezes N --json]')
  process.exit(2)
}
const wantedKinds = ['swap', 'add', 'remove', 'approve']
const strikes = { kill, freeze }
/** A world that has been traded in for long refuses a day's last calls, and those say little. */
const triesPerWorld = 30
const say = (line) => console.error(line)
const summary = summarise(await run())
if (values.json) console.log(JSON.stringify(summary))
else print(summary)
process.exitCode = summary.holds ? 0 : 1

async function run() {
  const random = createRandom(values.seed)
  const program = await bundleServer()
  const database = await engines.postgres.start()
  const open = () => openPair({ random: random.next, database, program, report: say })
  const done = []
  let pair = null
  try {
    pair = await open()
    const points = await learn(pair)
    const most = (wanted.kill + wanted.freeze) * 3
    for (let tries = 0; done.length < wanted.kill + wanted.freeze && tries < most; tries += 1) {
      if (tries > 0 && tries % triesPerWorld === 0) {
        await pair.close()
        pair = await open()
      }
      const how = done.filter(({ how }) => how === 'kill').length < wanted.kill ? 'kill' : 'freeze'
      const kind = wantedKinds[random.below(wantedKinds.length)]
      const needed = await kinds[kind].needs?.(pair.world)
      if (needed) await alone(pair, { kind: needed, key: `${values.seed}-prepare-${tries}` })
      const trial = { kind, key: `${values.seed}-${how}-${tries}`, point: pick(random, points[kind]) }
      const result = await strikes[how](pair, trial)
      const problems = Object.entries(result.problems).flatMap(([name, list]) => list.map((text) => `${name}: ${text}`))
      if (!result.wasStruck && problems.length === 0) continue
      done.push({ how, ...trial, ...result })
      const times = result.wasStruck ? `leads after ${result.leadsMs} ms, done after ${result.doneMs} ms` : 'not struck'
      const head = `${done.length}/${wanted.kill + wanted.freeze} ${how}, ${kind}, ${trial.point.label} (${trial.point.nth}): ${result.answer}, ${times}`
      say([head, ...problems, ...result.story].join('\n  '))
    }
  } finally {
    await pair?.close()
    await database.stop()
  }
  return done
}

/** The points that a call of each kind comes to on the leader, learned from one that is left alone. */
async function learn(pair) {
  const points = {}
  for (const kind of wantedKinds) {
    const needed = await kinds[kind].needs?.(pair.world)
    if (needed) await alone(pair, { kind: needed, key: `${values.seed}-before-${kind}` })
    const times = new Map()
    const { points: labels } = await alone(pair, { kind, key: `${values.seed}-learn-${kind}` })
    points[kind] = labels.map((label) => {
      times.set(label, (times.get(label) ?? 0) + 1)
      return { label, nth: times.get(label) }
    })
  }
  return points
}

/** First the step, then which time of it: else steps that a call takes often would be all there is. */
function pick(random, points) {
  const labels = [...new Set(points.map(({ label }) => label))]
  const label = labels[random.below(labels.length)]
  const times = points.filter((point) => point.label === label)
  return times[random.below(times.length)]
}

function summarise(done) {
  const struck = (how) => done.filter((one) => one.how === how && one.wasStruck)
  const times = (how, name) => struck(how).map((one) => one[name])
  const of = (name) => done.reduce((sum, { problems }) => sum + problems[name].length, 0)
  const figures = (how) => ({
    leadsP50Ms: median(times(how, 'leadsMs')) ?? null,
    leadsWorstMs: Math.max(0, ...times(how, 'leadsMs')),
    doneP50Ms: median(times(how, 'doneMs')) ?? null,
    doneWorstMs: Math.max(0, ...times(how, 'doneMs')),
  })
  const late = { kill: 3_000, freeze: 15_000 }
  const tooLate = Object.entries(late).map(([how, ms]) => struck(how).filter(({ leadsMs }) => leadsMs > ms).length)
  const broken = done.filter(({ problems }) => Object.values(problems).some((list) => list.length > 0))
  return {
    seed: values.seed,
    kills: struck('kill').length,
    freezes: struck('freeze').length,
    duplicates: of('duplicates'),
    lost: of('lost'),
    open: of('open'),
    gaps: of('gaps'),
    ledgerMismatches: of('ledger'),
    other: of('other'),
    echoes: done.reduce((sum, { echoes = 0 }) => sum + echoes, 0),
    takeover: { kill: figures('kill'), freeze: figures('freeze') },
    tooLate: tooLate[0] + tooLate[1],
    problems: broken.map(({ how, kind, point, answer, problems, story }) => ({
      how,
      kind,
      point,
      answer,
      problems,
      story,
    })),
    holds:
      struck('kill').length >= wanted.kill &&
      struck('freeze').length >= wanted.freeze &&
      broken.length === 0 &&
      tooLate.every((count) => count === 0),
  }
}

function print({ takeover, problems, ...totals }) {
  for (const [how, { leadsP50Ms, leadsWorstMs, doneP50Ms, doneWorstMs }] of Object.entries(takeover)) {
    const text = `leads after ${leadsP50Ms} ms (median; worst ${leadsWorstMs}), write done after ${doneP50Ms} ms (worst ${doneWorstMs})`
    console.log(`${`${totals[`${how}s`]} ${how}s`.padEnd(14)} ${text}`)
  }
  const { duplicates, lost, open, gaps, ledgerMismatches, other, echoes, tooLate } = totals
  console.log(
    `duplicates ${duplicates}, lost ${lost}, open ${open}, gaps ${gaps}, ledger ${ledgerMismatches}, other ${other}, too late ${tooLate}; bytes of the journal offered once more ${echoes} (seed ${totals.seed})`,
  )
  for (const { story, ...problem } of problems) console.log([JSON.stringify(problem), ...story].join('\n  '))
}
