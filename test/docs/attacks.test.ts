import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// docs/attacks.md names tests by their titles, or by the row of a table that makes one; each has to stand in its file.
const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/attacks.md'), 'utf8')
const attacks = page.split('\n').flatMap((line) => {
  const [, attack = '', , tests = ''] = /^\| (.+) \| (.+) \| (\[.+) \|$/.exec(line) ?? []
  return attack === '' ? [] : [{ attack, tests: [...tests.matchAll(/\[(.+?)\]\(\.\.\/(.+?)\)/g)] }]
})

test('docs/attacks.md names at least one test of each of its attacks', () => {
  expect(attacks.filter(({ tests }) => tests.length === 0)).toEqual([])
  const rows = page.split('\n').filter((line) => line.startsWith('| ')).length - 1
  // Those of which the page says that they are stopped are all that it lists, each with its tests.
  expect([attacks.length, page]).toEqual([rows, expect.stringContaining(`${rows} of ${rows} are stopped`)])
})

test.each(attacks)('$attack: its tests stand', ({ tests }) => {
  for (const [, title = '', file = ''] of tests) {
    const source = readFileSync(join(root, file), 'utf8').replaceAll(String.raw`\u2019`, '\u2019')
    // As a title, or as the first of a row.
    expect([file, title, source.includes(`'${title}',`)]).toEqual([file, title, true])
  }
})
