// The packages that a built file imports before it runs, by itself or through files of its own package.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const clauses = /^(?:import|export)\b[^;'"]*?(?:from )?['"]([^'"]+)['"]/gm

export function importedPackages(file) {
  const seen = new Set()
  const names = new Set()
  const visit = (path) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, name] of readFileSync(path, 'utf8').matchAll(clauses)) {
      if (name.startsWith('.')) visit(resolve(dirname(path), name))
      else names.add(name)
    }
  }
  visit(file)
  return [...names].toSorted((a, b) => (a < b ? -1 : 1))
}
