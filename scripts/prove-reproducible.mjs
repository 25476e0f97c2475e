// Builds the repository a second time, in another folder, and fails where a file that is published comes out otherwise: the bundle of the
// server and the packages. Expects a build of a clean clone here (`npm ci && npm run build`): what a source that is gone has left is packed as well.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listFiles } from '../integration/mutation/copy-tree.mjs'
import { publishedWorkspaces } from './production-packages.mjs'
import { packageFolders } from './start-folders.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const started = performance.now()
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
const copy = mkdtempSync(join(root, 'node_modules/.cache/svc-second-build-'))
try {
  copySources()
  run(copy, 'node_modules/.bin/tsc', '-b', ...published().map((path) => `${path}/tsconfig.json`))
  run(copy, process.execPath, 'scripts/views.mjs')
  const [here, there] = [root, copy].map(madeIn)
  const differing = Object.keys({ ...here, ...there }).filter((name) => here[name] !== there[name])
  for (const name of Object.keys(here))
    console.log(`${differing.includes(name) ? 'FAIL' : 'ok  '}  ${name} ${here[name]}`)
  console.log(`Two builds in two folders ${differing.length === 0 ? 'are the same' : 'differ'}, ${seconds()} s`)
  if (differing.length > 0) process.exitCode = 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/**
 * The sources, nothing that was built, and what is installed as hard links: behind symbolic ones the bundler would see the first folder's
 * files, by other names than here.
 */
function copySources() {
  for (const path of listFiles(root).filter((path) => existsSync(join(root, path)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true })
  }
  for (const folder of ['', ...packageFolders(root)]) {
    const [from, to] = [root, copy].map((one) => join(one, folder, 'node_modules'))
    if (!existsSync(from)) continue
    mkdirSync(to, { recursive: true })
    const names = readdirSync(from).filter((name) => name === '.bin' || !name.startsWith('.'))
    run(root, 'cp', '--archive', '--link', ...names.map((name) => join(from, name)), to)
  }
}

/** SHA-256 of each file that is published, by its name. */
function madeIn(folder) {
  const out = mkdtempSync(join(tmpdir(), 'svc-made-'))
  try {
    run(folder, process.execPath, 'scripts/mcpb.mjs', join(out, 'svc.mcpb'))
    mkdirSync(join(out, 'packed'))
    const words = published().map((path) => `--workspace=${path}`)
    run(folder, 'npm', 'pack', ...words, `--pack-destination=${join(out, 'packed')}`, '--loglevel=error')
    const files = ['svc.mcpb', ...readdirSync(join(out, 'packed')).map((name) => join('packed', name))]
    const hash = (file) =>
      createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')
    return Object.fromEntries(files.map((file) => [file, hash(file)]))
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function published() {
  const folders = packageFolders(root)
  const manifest = (path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  return publishedWorkspaces(Object.fromEntries(folders.map((path) => [path, manifest(path)])))
}

function run(cwd, program, ...words) {
  execFileSync(program, words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}

function seconds() {
  return Math.round((performance.now() - started) / 1000)
}
