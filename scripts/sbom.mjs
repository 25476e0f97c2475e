// node scripts/sbom.mjs [FILE]: what is installed with the published packages, in the versions of the lockfile, as a CycloneDX document.
// `npm sbom --omit dev` in the repository itself leaves out what its own work needs as well, such as viem: npm is asked in a folder that has
// the manifests of the published packages and nothing of that work.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { productionPackages, publishedWorkspaces } from './production-packages.mjs'
import { packageFolders } from './start-folders.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** The document, as npm makes it. */
export function sbom() {
  const above = mkdtempSync(join(tmpdir(), 'svc-sbom-'))
  // The folder's name is that of the document.
  const folder = join(above, 'svc')
  mkdirSync(folder)
  try {
    writeProject(folder)
    const words = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx', '--loglevel=error']
    return JSON.parse(execFileSync('npm', words, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }))
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
}

/** A project with the published packages as its workspaces, and of the lockfile what belongs to them. */
function writeProject(folder) {
  const folders = packageFolders(root)
  const manifests = Object.fromEntries(folders.map((path) => [path, readJson(`${path}/package.json`)]))
  const workspaces = publishedWorkspaces(manifests)
  const { devDependencies: _own, scripts: _scripts, ...manifest } = readJson('package.json')
  const lock = readJson('package-lock.json')
  const places = productionPackages(lock, workspaces).map(({ place }) => place)
  const links = workspaces.map((path) => `node_modules/${manifests[path].name}`)
  const kept = ['', ...workspaces, ...links, ...places].toSorted()
  const packages = Object.fromEntries(kept.map((place) => [place, withoutOwn(lock.packages[place])]))
  const write = (path, value) => writeFileSync(join(folder, path), JSON.stringify(value, null, 2))
  write('package.json', { ...manifest, workspaces })
  write('package-lock.json', { ...lock, packages: { ...packages, '': { ...packages[''], workspaces } } })
  for (const path of workspaces) {
    mkdirSync(join(folder, path), { recursive: true })
    write(`${path}/package.json`, withoutOwn(manifests[path]))
  }
}

/** What is marked as of development there is production here. */
function withoutOwn({ devDependencies: _own, dev: _dev, devOptional: _either, ...entry }) {
  return entry
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = `${JSON.stringify(sbom(), null, 2)}\n`
  const [, , file] = process.argv
  if (file === undefined) process.stdout.write(text)
  else writeFileSync(file, text)
}
