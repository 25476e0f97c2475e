// npm run test:repeat -- [--times N] [--load L] [FILE ...]: runs test files, each by itself, N times (10) beside L busy processes (2),
// and prints each that failed at least once with what it said then. Without files: every test file. Exit code 1 when one failed.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('../', import.meta.url))
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const { values, positionals } = parseArgs({
  options: { times: { type: 'string', default: '10' }, load: { type: 'string', default: '2' } },
  allowPositionals: true,
})
const [times, load] = [wholeNumber('times', 1), wholeNumber('load', 0)]

const busy = Array.from({ length: load }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
const stop = () => busy.forEach((child) => child.kill('SIGKILL'))
process.once('exit', stop)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

const files = await listed(positionals)
if (files.length === 0) fail(`No test file is named so: ${positionals.join(' ')}`, 2)
const failures = new Map()
for (let time = 1; time <= times; time += 1) {
  for (const file of files) {
    const { code, said } = await run(['run', file])
    if (code !== 0) failures.set(file, [...(failures.get(file) ?? []), { time, said }])
    console.log(`${time}/${times} ${code === 0 ? 'passed' : 'FAILED'} ${file}`)
  }
}
for (const [file, runs] of failures) {
  for (const { time, said } of runs) console.log(`\n--- ${file}, run ${time} of ${times}\n${said.trim()}`)
}
const failed = [...failures].map(([file, runs]) => `${file} (${runs.length} of ${times})`)
console.log(
  `\n${files.length} files, ${times} times, beside ${load} busy processes: ${failed.join(', ') || 'none failed'}`,
)
process.exit(failures.size === 0 ? 0 : 1)

async function listed(names) {
  const { code, said } = await run(['list', '--filesOnly', ...names])
  if (code !== 0) fail(said, 2)
  // A file that is of two projects is listed with each, and run in both at once.
  const files = said.split('\n').flatMap((line) => /^\[\w+\] (.+\.test\.ts)$/.exec(line)?.[1] ?? [])
  return [...new Set(files)].toSorted((one, other) => (one < other ? -1 : 1))
}

function run(words) {
  const child = spawn(process.execPath, [vitest, ...words], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', SVC_TEST_RETRIES: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? 1, said })))
}

function wholeNumber(name, least) {
  const value = /^\d{1,5}$/.test(values[name]) ? Number(values[name]) : -1
  if (value < least) fail(`--${name} takes a whole number from ${least}`, 2)
  return value
}

function fail(message, code) {
  console.error(message)
  process.exit(code)
}
