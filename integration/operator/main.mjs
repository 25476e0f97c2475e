// Packs the packages, plays the story of a new operator with them, and holds what was printed against docs/first-operator.md.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { publishedWorkspaces } from '../../scripts/production-packages.mjs'
import { packageFolders } from '../../scripts/start-folders.mjs'
import { pageOf, shapeOf } from './page.mjs'
import { openShell } from './shell.mjs'
import { story } from './story.mjs'
import { openWorld } from './world.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = join(root, 'docs/first-operator.md')
/** The longest command installs; one that is not done by then hangs. */
const patienceMs = 300_000

const started = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'svc-operator-'))
const [home, project, packed] = ['home', 'home/svc', 'packed'].map((name) => join(folder, name))
const closers = []
try {
  await mkdir(project, { recursive: true })
  await mkdir(packed)
  pack()
  const world = await openWorld(project)
  closers.push(() => world.close())
  await copyFile(new URL('agent.mjs', import.meta.url), join(project, 'agent.mjs'))
  const shell = openShell({ cwd: project, env: environment(), patienceMs })
  closers.push(() => shell.close())
  // What a machine does with crashes is not what is told here.
  await shell.run('ulimit -c 0')
  const chapters = []
  for (const { steps, ...chapter } of story(world, packed)) {
    chapters.push({ ...chapter, steps: await play(shell, steps) })
    console.log(`ok    ${chapter.title} (${seconds()} s)`)
  }
  hold(pageOf(chapters, { [project]: '/home/operator/svc', [home]: '/home/operator', [packed]: '/packed' }))
  console.log(`A new operator gets through, as docs/first-operator.md says, ${seconds()} s`)
} catch (error) {
  console.log(`FAIL  ${error.stack}`)
  process.exitCode = 1
} finally {
  for (const close of closers.toReversed()) await close()
  rmSync(folder, { recursive: true, force: true })
}

/** The published packages that the command needs: all but the one for tests. */
function pack() {
  const folders = packageFolders(root)
  const manifestOf = (path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  const published = publishedWorkspaces(Object.fromEntries(folders.map((path) => [path, manifestOf(path)])))
  const needed = published.filter((path) => path !== 'packages/test-utils')
  const words = needed.map((path) => `--workspace=${path}`)
  execFileSync('npm', ['pack', ...words, '--pack-destination', packed, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  assert.equal(readdirSync(packed).length, needed.length)
}

/** Nothing of whoever runs this, but where npm finds packages. */
function environment() {
  const configOf = (name) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()
  return {
    HOME: home,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    npm_config_cache: configOf('cache'),
    npm_config_userconfig: configOf('userconfig'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
}

async function play(shell, steps) {
  const shown = []
  for (const { run, finds, hears, waits, awaits } of steps) {
    if (waits !== undefined) await until(shell, waits)
    await awaits?.()
    if (run === undefined) continue
    const { text, code } = await shell.run(run)
    const isRight = finds === undefined ? code === 0 || run.startsWith('kill') : await isFound(finds, text)
    assert(isRight, `${run}\nended with ${code} and printed\n${text}\n${logs()}`)
    shown.push({ command: run, text })
    await hears?.({ text })
  }
  return shown
}

/** What must be found is a pattern, or what says whether all is well. */
function isFound(finds, text) {
  return finds instanceof RegExp ? finds.test(text) : finds(text)
}

/** What the servers have said, for whoever reads why a step failed. */
function logs() {
  const names = readdirSync(project).filter((name) => name.endsWith('.log'))
  return names.map((name) => `${name}:\n${readFileSync(join(project, name), 'utf8').slice(-4_000)}`).join('\n')
}

async function until(shell, condition) {
  const last = performance.now() + patienceMs
  while ((await shell.run(condition)).code !== 0) {
    assert(performance.now() < last, `not so within ${patienceMs} ms: ${condition}\n${logs()}`)
    await sleep(100)
  }
}

function hold(printed) {
  const known = readPage()
  if (process.argv.includes('--update')) {
    if (known === null || shapeOf(known).join('\n') !== shapeOf(printed).join('\n')) writeFileSync(page, printed)
    return
  }
  assert.deepEqual(shapeOf(printed), shapeOf(known ?? ''))
}

function readPage() {
  try {
    return readFileSync(page, 'utf8')
  } catch {
    return null
  }
}

function seconds() {
  return Math.round((performance.now() - started) / 1000)
}
