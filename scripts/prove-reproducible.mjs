// Builds the repository a second time, in another folder, and fails where a file that is published comes out otherwise: the bundle of the
// server and the packages. Expects a build of a clean clone here (`npm ci && npm run build`): what a source that is gone has left is packed as well.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'
import { listFiles } from '../integration/mutation/copy-tree.mjs'
import { publishedWorkspaces } from './production-packages.mjs'
import { packageFolders } from './start-folders.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const started = performance.now()
// On the disk of this build, for the links, and not below node_modules, where the compiler takes no file for a source of `#` imports.
mkdirSync(join(root, '.cache'), { recursive: true })
const copy = mkdtempSync(join(root, '.cache/svc-second-build-'))
const made = [root, copy].map(() => mkdtempSync(join(tmpdir(), 'svc-made-')))
try {
  await copySources()
  // Most of the steps of either have one processor busy.
  await Promise.all([make(root, made[0]), build().then(() => make(copy, made[1]))])
  const [here, there] = made.map(hashesIn)
  const differing = differingIn(here, there)
  for (const [name, hash] of Object.entries(here)) if (!differing.includes(name)) console.log(`ok    ${name} ${hash}`)
  for (const name of differing) console.log(`FAIL  ${name}: ${await contentsDiffer(name)}`)
  console.log(`Two builds in two folders ${differing.length === 0 ? 'are the same' : 'differ'}, ${seconds()} s`)
  if (differing.length > 0) process.exitCode = 1
} finally {
  for (const folder of [copy, ...made]) rmSync(folder, { recursive: true, force: true })
}

/**
 * The sources, nothing that was built, and what is installed as hard links: behind symbolic ones the bundler would see the first folder's
 * files, by other names than here.
 */
async function copySources() {
  for (const path of listFiles(root).filter((path) => existsSync(join(root, path)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true })
  }
  for (const folder of ['', ...packageFolders(root)]) {
    const [from, to] = [root, copy].map((one) => join(one, folder, 'node_modules'))
    if (!existsSync(from)) continue
    mkdirSync(to, { recursive: true })
    const names = readdirSync(from).filter((name) => name === '.bin' || !name.startsWith('.'))
    await run(root, 'cp', '--archive', '--link', ...names.map((name) => join(from, name)), to)
  }
}

async function build() {
  await run(copy, 'node_modules/.bin/tsc', '-b', ...published().map((path) => `${path}/tsconfig.json`))
  await run(copy, process.execPath, 'scripts/views.mjs')
}

/** Makes each file that is published. */
async function make(folder, out) {
  await run(folder, process.execPath, 'scripts/mcpb.mjs', join(out, 'svc.mcpb'))
  const words = published().map((path) => `--workspace=${path}`)
  await run(folder, 'npm', 'pack', ...words, `--pack-destination=${out}`, '--loglevel=error')
}

/** SHA-256 of each file below the folder, by its name. */
function hashesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')
  return Object.fromEntries(paths.map((path) => [relative(folder, path), hash(path)]))
}

function differingIn(here, there) {
  return Object.keys({ ...here, ...there }).filter((name) => here[name] !== there[name])
}

/** Which files in two archives of one name differ, for whoever reads why they do. */
async function contentsDiffer(archive) {
  if (!made.every((folder) => existsSync(join(folder, archive)))) return 'made in one of the builds alone'
  const unpacked = await Promise.all(made.map((folder) => unpack(join(folder, archive))))
  const names = differingIn(...unpacked.map(hashesIn))
  return names.length === 0 ? 'the same files, packed in another way' : names.join(', ')
}

async function unpack(archive) {
  const folder = `${archive}.unpacked`
  mkdirSync(folder)
  if (!archive.endsWith('.mcpb')) await run(folder, 'tar', '-xzf', archive)
  else {
    for (const [name, bytes] of Object.entries(unzipSync(new Uint8Array(readFileSync(archive))))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), bytes)
    }
  }
  return folder
}

function published() {
  const folders = packageFolders(root)
  const manifest = (path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  return publishedWorkspaces(Object.fromEntries(folders.map((path) => [path, manifest(path)])))
}

/** What the program prints is shown where it fails: the compiler says there why. */
async function run(cwd, program, ...words) {
  const child = spawn(program, words, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
  assert.equal(status, 0, `${program} ${words.join(' ')}\n${stdout}`)
}

function seconds() {
  return Math.round((performance.now() - started) / 1000)
}
