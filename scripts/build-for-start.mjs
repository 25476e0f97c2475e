// node scripts/build-for-start.mjs PROJECT: what a start builds, of that project alone. Types are left to `npm run build`, and take most of its time.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Compiles these projects, and what they refer to, without looking at types. Says on stderr what a newcomer waits for; throws where it fails. */
export async function buildForStart(projects) {
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  const isFirst = !projects.every((project) => existsSync(join(project, 'tsconfig.tsbuildinfo')))
  if (isFirst) say('Building what a start needs, once; later starts build what has changed.')
  // What was built already is looked through in a second.
  const ticking = setInterval(
    () => say(`${isFirst ? 'Still building' : 'Looking for changes to build'}, ${seconds()} s.`),
    3_000,
  )
  try {
    await compile(projects)
  } finally {
    clearInterval(ticking)
  }
  if (isFirst) say(`Built in ${seconds()} s.`)
}

function compile(projects) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const compiler = spawn(process.execPath, [tsc, '-b', ...projects, '--noCheck'], { stdio: ['ignore', 2, 2] })
  return new Promise((resolve, reject) => {
    compiler.once('error', reject)
    compiler.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error('The build failed; see: npm run build')),
    )
  })
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildForStart(process.argv.slice(2)).catch((error) => {
    say(error.message)
    process.exitCode = 1
  })
}
