// Who imports whom, read from the sources.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A function that gives the files that import a file at run time, at any distance, each with its distance. `files` are those below `root`. */
export function readImporters(root, files) {
  const importersOf = new Map()
  for (const file of files.filter((name) => /\.tsx?$/.test(name) && existsSync(join(root, name)))) {
    for (const target of importsOf(root, file)) {
      importersOf.set(target, [...(importersOf.get(target) ?? []), file])
    }
  }
  return (source) => {
    const distances = new Map([[source, 0]])
    for (const [file, distance] of distances) {
      for (const importer of importersOf.get(file) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1)
      }
    }
    distances.delete(source)
    return distances
  }
}

const statement = /^(?:import|export) (?!type )[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(root, file) {
  const names = [...readFileSync(join(root, file), 'utf8').matchAll(statement)].map(
    (match) => match[1] ?? match[2] ?? match[3],
  )
  return new Set(names.map((name) => sourceOf(root, file, name)).filter((target) => target !== undefined))
}

/** The file below `root` that is imported under this name; undefined for what is not the repository's. */
function sourceOf(root, file, name) {
  if (name.startsWith('.')) return normalize(join(dirname(file), name))
  if (name.startsWith('#')) {
    const own = file.split('/').slice(0, 2).join('/')
    const { imports } = JSON.parse(readFileSync(join(root, own, 'package.json'), 'utf8'))
    return normalize(join(own, imports[name]['svc-source']))
  }
  const [, folder, path] = /^@svc\/([^/]+)(?:\/(.+))?$/.exec(name) ?? []
  if (folder === undefined || !existsSync(join(root, 'packages', folder, 'package.json'))) return undefined
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  const source = exports?.[path === undefined ? '.' : `./${path}`]?.['svc-source']
  return source === undefined ? undefined : join('packages', folder, source)
}
