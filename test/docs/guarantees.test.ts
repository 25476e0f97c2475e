import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Principal } from '@svc/engine'
import { describe, expect, test } from 'vitest'

// SECURITY.md states guarantees, and at its end names the tests that prove each. Those must stand, under a title that begins with its number.
const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const stated = [...page.matchAll(/^\*\*(G\d+)\. /gm)].map(([, id = '']) => id)
const [, proof = ''] = /^## What proves the guarantees\n(.*?)^## /ms.exec(page) ?? []
const guarantees = [...proof.matchAll(/^(G\d+):\n(.*?)\n\n/gms)].map(([, id = '', list = '']) => ({
  id,
  files: [...list.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
}))

test('SECURITY.md states G1 to G13, each with tests', () => {
  const ids = Array.from({ length: 13 }, (_, index) => `G${index + 1}`)
  expect(stated).toEqual(ids)
  expect(guarantees.map(({ id }) => id)).toEqual(ids)
  expect(guarantees.filter(({ files }) => files.length === 0)).toEqual([])
})

test('SECURITY.md says of each stage of sign-in whom it lets in, why, to what, and until when', () => {
  const stages: Readonly<Record<Principal['stage'], true>> = {
    local: true,
    'api-key': true,
    bearer: true,
    siwe: true,
    oauth: true,
    'edge-access': true,
  }
  const [, part = ''] = /^## What each stage of sign-in promises\n(.*?)^## /ms.exec(page) ?? []
  const rows = [...part.matchAll(/^\| `([a-z-]+)` \| `([^`]+)` \|(?: [^|]+ \|){3}$/gm)]
  expect(rows.map(([, stage]) => stage)).toEqual(Object.keys(stages))
  for (const [, stage, principal] of rows) expect(principal).toMatch(new RegExp(`^${stage}(:|$)`))
})

test('the suites of the guarantees run on every engine of the store', () => {
  const files = ['engine', 'tool-server'].flatMap((name) => {
    const directory = join(root, 'packages', name, 'src/guarantees')
    return readdirSync(directory).map((file) => join(directory, file))
  })
  expect(files).toHaveLength(3)
  for (const file of files) {
    const source = readFileSync(file, 'utf8')
    expect([file, ...(source.match(/^(?:describe|test|it)\b.*/gm) ?? [])]).toEqual([
      file,
      "describe.each(storeEngines)('on $engine', ({ usePlaces }) => {",
    ])
  }
})

describe.each(guarantees)('$id', ({ id, files }) => {
  test.each(files)('is proved in %s', (file) => {
    expect(titlesIn(readFileSync(join(root, file), 'utf8')).flatMap(guaranteesOf)).toContain(id)
  })
})

/** Titles of suites and tests, also of those made from a table. */
function titlesIn(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:describe|test|it)\b[^'"`\n]*(?:\.each\(.*?\))?\(\s*(['"`])(.*?)\1/gs)].map(
    ([, , title = '']) => title,
  )
}

/** `G1, G2: …` speaks of two. */
function guaranteesOf(title: string): readonly string[] {
  return /^((?:G\d+(?:, )?)+): /.exec(title)?.[1]?.split(', ') ?? []
}
