// What a package puts on the disk of whoever installs it alone: its own files as npm packs them, and those of everything it
// depends on as npm installed them here, peers that are optional left out.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Packages by size, the largest first. */
export function installedBytes(folder) {
  const packed = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: folder, encoding: 'utf8' }))
  const own = readManifest(folder)
  const packages = [{ name: own.name, bytes: packed[0].unpackedSize }]
  const seen = new Set()
  const left = dependenciesOf(own).map((name) => ({ name, from: folder }))
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const place = findInstalled(next.name, next.from)
    if (place === null || seen.has(place)) continue
    seen.add(place)
    packages.push({ name: next.name, bytes: bytesIn(place) })
    left.push(...dependenciesOf(readManifest(place)).map((name) => ({ name, from: place })))
  }
  packages.sort((a, b) => b.bytes - a.bytes)
  return { bytes: packages.reduce((sum, { bytes }) => sum + bytes, 0), packages }
}

function dependenciesOf({
  dependencies = {},
  optionalDependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]
}

/** As Node looks for it, from a folder upwards. */
function findInstalled(name, from) {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const place = join(at, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return realpathSync(place)
  }
  return null
}

function bytesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesIn(path)
    return entry.isFile() ? sum + statSync(path).size : sum
  }, 0)
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
