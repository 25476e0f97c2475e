import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

test.each(['packages/amm/src', 'packages/engine/src'])(
  'arrows between folders of %s go one way, types included',
  (source) => {
    const files = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|test-d|fixture|gen)\.ts$/.test(file))
      .map((file) => [file, readFileSync(join(root, source, file), 'utf8')] as const)
    expect(circles(new Map(files))).toEqual([])
  },
)

test('a circle of three folders is seen, a file of the package itself is no folder', () => {
  const files = new Map([
    ['index.ts', `export { a } from './a/a.ts'`],
    ['a/a.ts', `import type { B } from '../b/b.ts'`],
    ['b/b.ts', `import { c } from '../c/c.ts'\nimport { log } from '../log.ts'`],
    ['c/c.ts', `import { late } from './late.ts'`],
    ['c/late.ts', `export const late = () => import('../a/a.ts')`],
  ])
  expect(circles(files)).toEqual(['a -> b -> c -> a'])
  files.delete('c/late.ts')
  expect(circles(files)).toEqual([])
})

/** Of folders that import each other, each circle once, from the folder at which it was met first. */
function circles(files: ReadonlyMap<string, string>): readonly string[] {
  const arrows = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    const from = placeOf(file)
    const to = [...text.matchAll(/(?:from |import |import\()'(\.[^']+)'/g)].map(([, path]) =>
      placeOf(join(dirname(file), path!)),
    )
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to].filter((place) => place !== from)))
  }
  const found: string[] = []
  const done = new Set<string>()
  const visit = (place: string, way: readonly string[]): void => {
    const start = way.indexOf(place)
    if (start >= 0) found.push([...way.slice(start), place].join(' -> '))
    if (start >= 0 || done.has(place)) return
    for (const next of arrows.get(place) ?? []) visit(next, [...way, place])
    done.add(place)
  }
  for (const place of arrows.keys()) visit(place, [])
  return found
}

/** The folder of a package that a file stands in, or the file itself where that is none. */
function placeOf(file: string): string {
  return file.split('/')[0] ?? file
}
