// npm run bench -- NAME [--json] [--alarm | --smoke]: runs one benchmark. Figures are ratios to a reference of the same run.
// --smoke is the short form, of one round: it proves that the benchmark still runs and prints its figures, which mean nothing then and
// are held against no bar. Without a name it runs every one so, some side by side.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { isMissed } from './parts/figure.mjs'
import { isSmoke } from './parts/size.mjs'

const words = process.argv.slice(2).filter((word) => word !== '--')
const name = words.find((word) => !word.startsWith('--'))
const flags = new Set(words.filter((word) => word.startsWith('--')))
const benchmarks = {
  mcp: './mcp.mjs',
  auth: './auth.mjs',
  protocol: './protocol.mjs',
  start: './start.mjs',
  write: './write.mjs',
  execute: './execute.mjs',
  wallet: './wallet.mjs',
  devnet: './devnet.mjs',
  'support-api': './support-api.mjs',
  lp: './lp.mjs',
  calibration: './calibration.mjs',
  'false-alarms': './false-alarms.mjs',
  value: './value.mjs',
  'value-chain': './value-chain.mjs',
  liquidity: './liquidity.mjs',
  reads: './reads.mjs',
  'read-memory': './read-memory.mjs',
  sequences: './sequences.mjs',
  routes: './routes.mjs',
  watch: './watch.mjs',
  operate: './operate.mjs',
}
if (name === undefined && isSmoke) process.exit(await smokeAll())
if (name === undefined || !Object.hasOwn(benchmarks, name)) {
  console.error(
    `npm run bench -- NAME [--json] [--alarm | --smoke], NAME one of: ${Object.keys(benchmarks).join(', ')}`,
  )
  process.exit(2)
}
const { run } = await import(benchmarks[name])
const figures = await run((line) => console.error(line))
if (isSmoke) process.exit(smoked(figures))
if (flags.has('--json')) {
  console.log(JSON.stringify({ figures }))
} else {
  for (const { name, value, unit, reference, bar, holds } of figures) {
    const verdict =
      bar === null
        ? 'reported'
        : holds === null
          ? 'not measured'
          : holds
            ? `holds (bar ${bar})`
            : `FALLS SHORT (bar ${bar})`
    console.log(`${name.padEnd(58)} ${String(value).padStart(9)} ${unit.padEnd(8)} ${verdict}  [${reference}]`)
  }
}
// A machine that is shared moves a figure: the alarm is for one that is lost, not for one that falls short there.
const times = flags.has('--alarm') ? 3 : 1
const missed = figures.filter((figure) => isMissed(figure, times))
for (const { name: missing, value, bar } of missed)
  console.error(`missed: ${missing}, ${value} against a bar of ${bar}`)
process.exitCode = missed.length === 0 ? 0 : 1

/** Every figure must be there, and be a number unless the machine cannot measure it. */
function smoked(figures) {
  const lost = figures.filter(
    ({ value, reference }) => !Number.isFinite(value) && !`${reference}`.startsWith('not measured'),
  )
  for (const { name, value, unit } of figures) console.log(`${name.padEnd(58)} ${String(value).padStart(9)} ${unit}`)
  for (const figure of lost) console.error(`no number: ${figure.name}`)
  if (figures.length === 0) console.error('no figure was printed')
  return lost.length === 0 && figures.length > 0 ? 0 : 1
}

/**
 * Each in a process of its own, as they are run otherwise, one more at once than the machine has processors: they measure nothing, and wait
 * for most of their time. The exit code is 1 when one failed.
 */
async function smokeAll() {
  const waiting = Object.keys(benchmarks)
  const failed = []
  const next = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const begin = Date.now()
      const { isWhole, printed } = await smokeOne(each)
      if (!isWhole) failed.push(each)
      console.log(`${each.padEnd(12)} ${isWhole ? 'runs' : 'FAILED'}  ${((Date.now() - begin) / 1_000).toFixed(1)} s`)
      if (!isWhole) console.log(printed)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, next))
  return failed.length === 0 ? 0 : 1
}

async function smokeOne(name) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name, '--smoke'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { isWhole: code === 0, printed: `${stdout}${stderr}` }
}
