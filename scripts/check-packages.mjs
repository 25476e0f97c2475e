// publint and attw over what npm would publish of each library. All are packed once, and as many are checked at once as the machine has processors.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publishedWorkspaces } from './production-packages.mjs'
import { packageFolders } from './start-folders.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const bin = (name) => join(root, 'node_modules/.bin', name)
const publint = [bin('publint'), '--strict']
const attw = [bin('attw'), '--profile', 'esm-only']

const manifests = Object.fromEntries(
  packageFolders(root).map((path) => [path, JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))]),
)
const packed = mkdtempSync(join(tmpdir(), 'svc-packages-'))
try {
  const published = publishedWorkspaces(manifests)
  const words = published.map((path) => `--workspace=${path}`)
  const run = (program, args, options) => promisify(execFile)(program, args, { maxBuffer: 1e8, ...options })
  const { stdout } = await run('npm', ['pack', '--json', ...words, `--pack-destination=${packed}`], { cwd: root })
  const files = new Map(JSON.parse(stdout).map(({ name, filename }) => [name, join(packed, filename)]))
  const waiting = published.flatMap((path) => checksOf(manifests[path], files.get(manifests[path].name)))
  const next = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const { name, args } = check
      const failure = await run(process.execPath, args).then(
        () => null,
        (error) => error,
      )
      console.log(`${failure === null ? 'ok  ' : 'FAIL'} ${name}`)
      if (failure === null) continue
      console.log(failure.stdout, failure.stderr)
      process.exitCode = 1
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, next))
} finally {
  rmSync(packed, { recursive: true, force: true })
}

/** A package that is a program alone has no types to find. */
function checksOf({ name, exports }, file) {
  const checks = exports === undefined ? { publint } : { publint, attw }
  return Object.entries(checks).map(([tool, args]) => ({ name: `${name} ${tool}`, args: [...args, file] }))
}
