// publint and attw over what npm would publish of each library.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))
const bin = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))
const publint = [bin('publint'), '--strict']
const attw = [bin('attw'), '--pack', '.', '--profile', 'esm-only']

let failed = 0
for (const folder of readdirSync(packages)) {
  const manifest = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'))
  if (manifest.private === true) continue
  // A package that is a program alone has no types to find.
  const checks = manifest.exports === undefined ? { publint } : { publint, attw }
  for (const [name, args] of Object.entries(checks)) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: join(packages, folder),
      encoding: 'utf8',
    })
    console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${manifest.name} ${name}`)
    if (status !== 0) console.log(stdout, stderr)
    failed += status === 0 ? 0 : 1
  }
}
process.exitCode = failed === 0 ? 0 : 1
