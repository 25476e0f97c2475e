// Mutation testing by sample: see ./run for the options. Prints what no test notices, and how many were noticed.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chooseTests, sample } from './choose.mjs'
import { copyTree, listFiles } from './copy-tree.mjs'
import { readImporters } from './imports.mjs'
import { instrument } from './mutants.mjs'
import { openSession } from './open-session.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    paths: { type: 'string', default: 'packages/engine/src,packages/amm/src,packages/wallet/src' },
    within: { type: 'string', default: '120' },
    again: { type: 'string' },
    json: { type: 'string' },
  },
})
const [count, seed, withinSeconds] = ['sample', 'seed', 'within'].map(wholeNumber)

/** Each mutant, with what became of it. */
const outcomes = []
const folder = await copyTree(root)
const session = openSession(folder)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop())
try {
  await mkdir(join(folder, 'tmp'))
  await mutate()
  await report()
} finally {
  session.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function mutate() {
  const files = listFiles(root)
  const sources = listFiles(root, values.paths.split(',')).filter(isSource)
  const every = (await instrument(folder, sources)).mutants
  const places = values.again === undefined ? sample(every, count, seed) : await leftOf(values.again, every)
  const changed = [...new Set(places.map(({ file }) => file))]
  // Only what is to be changed is given switches: the rest runs as it is.
  const switched = await instrument(folder, changed)
  const ofPlace = (place) => switched.mutants.find((mutant) => isSame(mutant, place))
  outcomes.push(...places.map((place) => Object.assign(ofPlace(place), { state: 'not reached', tests: 0, leftOut: 0 })))
  const originals = await Promise.all(
    changed.map(async (name) => ({ name, content: await readFile(join(folder, name), 'utf8') })),
  )
  await writeAll(switched.files)
  console.log(
    `${every.length} mutants in ${sources.length} files; ${outcomes.length} chosen in ${changed.length}, seed ${seed}`,
  )

  const importersOf = readImporters(root, files)
  const isNear = (test, { file }) => dirname(test) === dirname(file)
  // Most are killed by the tests beside them; the others, which take longer, run for those that are left and compile.
  await playRing(files.filter(isTest), importersOf, isNear)
  await writeAll(originals)
  for (const outcome of alive()) {
    if (!(await compiles(outcome))) outcome.state = 'refused by the compiler'
  }
  await writeAll(switched.files)
  await playRing(files.filter(isTest), importersOf, (test, mutant) => !isNear(test, mutant))
}

/** Those that nothing noticed in an earlier run, which wrote this file with `--json`. */
async function leftOf(path, every) {
  const { outcomes: earlier } = JSON.parse(await readFile(path, 'utf8'))
  const left = earlier.filter(({ state }) => state === 'survived' || state === 'not reached')
  return every.filter((mutant) => left.some((one) => isSame(one, mutant)))
}

async function writeAll(files) {
  for (const { name, content } of files) await writeFile(join(folder, name), content)
}

/** Runs the tests that import what is changed once as it is, then for each mutant that is left those that reach it. */
async function playRing(tests, importersOf, belongs) {
  const left = alive()
  if (left.length === 0) return
  const isAsked = (test) => left.some((mutant) => belongs(test, mutant) && importersOf(mutant.file).has(test))
  const unchanged = await withoutMutants(tests.filter(isAsked))
  for (const [index, mutant] of left.entries()) {
    const startedAt = performance.now()
    await play(mutant, importersOf(mutant.file), (test) => belongs(test, mutant), unchanged)
    console.log(`${index + 1}/${left.length} ${lineOf(mutant)} (${secondsSince(startedAt)} s)`)
  }
}

/** Runs the tests once with no mutant on: which files of them pass, how long each takes, and which mutants it reaches. */
async function withoutMutants(tests) {
  console.log(`${tests.length} files of tests import what is changed; they run once unchanged`)
  if (tests.length === 0) return { durations: new Map(), reached: [] }
  const startedAt = performance.now()
  const coverage = await mkdtemp(join(folder, 'tmp/coverage-'))
  let ended = 0
  const onFile = () => {
    ended += 1
    if (ended % 50 === 0) console.log(`  ${ended} of ${tests.length} (${secondsSince(startedAt)} s)`)
  }
  const { failed, durations, faults } = await session.run(tests, { coverage, onFile })
  if (durations.size === 0) throw new Error(`no test passes unchanged: ${faults.join(', ')}`)
  const names = await readdir(coverage)
  const reached = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(coverage, name), 'utf8'))))
  for (const file of failed) durations.delete(file)
  // A mutant that is none: were it noticed, every other would seem to be.
  const control = await session.run([...durations.keys()].slice(0, 1), { mutant: 'none' })
  if (control.durations.size !== 1) throw new Error(`a second run without a change fails: ${control.faults.join(', ')}`)
  console.log(
    `${durations.size} pass after ${secondsSince(startedAt)} s; left out: ${[...failed, ...faults].join(', ') || 'none'}`,
  )
  return { durations, reached }
}

/** Writes down in the mutant what became of it. */
async function play(mutant, importers, belongs, { durations, reached }) {
  const reaching = new Set(
    reached.filter(({ file, ids }) => belongs(file) && ids.includes(mutant.id)).map(({ file }) => file),
  )
  const isLoaded = reached.some(({ loadedIds }) => loadedIds.includes(mutant.id))
  const importing = new Map([...importers].filter(([test]) => reaching.has(test) || (isLoaded && belongs(test))))
  const withinMs = withinSeconds * 1_000
  const { tests, leftOut } = chooseTests({ source: mutant.file, importing, reaching, durations, withinMs })
  mutant.leftOut += leftOut
  if (tests.length === 0) return
  mutant.tests += tests.length
  const expectedMs = tests.reduce((sum, test) => sum + durations.get(test), 0)
  const limits = { mutant: mutant.id, withinMs: 60_000 + 3 * expectedMs }
  const { failed, isCutOff, faults } = await session.run(tests, limits)
  // A mutant may also end the process of the tests.
  const by = failed[0] ?? (isCutOff ? undefined : faults[0])
  mutant.state = by !== undefined ? 'killed' : isCutOff ? 'timed out' : 'survived'
  if (by !== undefined) mutant.by = by
}

function alive() {
  return outcomes.filter(({ state }) => state === 'survived' || state === 'not reached')
}

/** What does not compile never reaches a test: the build refuses it. */
async function compiles({ file, mutator, start, end, replacement }) {
  const path = join(folder, file)
  const original = await readFile(path, 'utf8')
  // As an operand of another operator it would mean something else.
  const inserted = mutator === 'LogicalOperator' ? `(${replacement})` : replacement
  await writeFile(path, original.slice(0, start) + inserted + original.slice(end))
  // That a name is no longer used says nothing of what the change does.
  const lenient = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false']
  const words = ['--noEmit', ...lenient, '-p', file.split('/').slice(0, 2).join('/')]
  const { status } = spawnSync(join(folder, 'node_modules/.bin/tsc'), words, { cwd: folder, timeout: 300_000 })
  await writeFile(path, original)
  return status === 0
}

async function report() {
  for (const outcome of alive()) {
    console.log(`\n${lineOf(outcome)}\n    - ${shown(outcome.original)}\n    + ${shown(outcome.replacement)}`)
  }
  const states = [...new Set(outcomes.map(({ state }) => state))]
  const counts = states.map((state) => `${outcomes.filter((outcome) => outcome.state === state).length} ${state}`)
  console.log(`\n${outcomes.length} mutants, seed ${seed}: ${counts.join(', ')}`)
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ seed, outcomes }, null, 2)}\n`)
}

/** What is known until then is printed. */
async function stop() {
  session.close()
  await report()
  execFileSync('rm', ['-rf', folder])
  process.exit(130)
}

function lineOf({ state, file, line, mutator, tests, leftOut, by }) {
  const others = leftOut > 0 ? `, ${leftOut} not run` : ''
  return `${state}: ${file}:${line} ${mutator}, ${by === undefined ? `${tests} files of tests${others}` : `by ${by}`}`
}

function shown(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 160 ? `${line.slice(0, 157)}...` : line
}

function secondsSince(startedAt) {
  return Math.round((performance.now() - startedAt) / 1_000)
}

function isSame(one, other) {
  return ['file', 'start', 'mutator', 'original', 'replacement'].every((name) => one[name] === other[name])
}

function isSource(file) {
  return file.endsWith('.ts') && !/\.(?:test|test-d|fixture|gen)\.ts$/.test(file)
}

function isTest(file) {
  return file.endsWith('.test.ts') && !file.endsWith('.system.test.ts')
}

function wholeNumber(name) {
  if (/^[1-9]\d{0,5}$/.test(values[name])) return Number(values[name])
  console.error(`--${name} is a whole number from 1 on, not ${values[name]}`)
  return process.exit(2)
}
