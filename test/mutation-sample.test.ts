import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseTests, sample } from '../integration/mutation/choose.mjs'
import { readImporters } from '../integration/mutation/imports.mjs'

test('a seed chooses the same again, each at most once, and another seed others', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)
  expect(sample(items, 10, 1)).toEqual(sample(items, 10, 1))
  expect(sample(items, 10, 1)).not.toEqual(sample(items, 10, 2))
  expect(new Set(sample(items, 1_000, 1))).toEqual(new Set(items))
})

test('its own test comes first, then its folder, then what reaches it, then what loads it, the nearest and quickest first', () => {
  const given = {
    source: 'a/limit.ts',
    reaching: new Set([
      'b/slow.test.ts',
      'b/quick.test.ts',
      'a/near.test.ts',
      'a/limit.fuzz.test.ts',
      'b/fails.test.ts',
    ]),
    importing: new Map([
      ['b/loads.test.ts', 1],
      ['b/slow.test.ts', 1],
      ['b/quick.test.ts', 2],
    ]),
    durations: new Map([
      ['b/loads.test.ts', 1],
      ['b/slow.test.ts', 500],
      ['b/quick.test.ts', 200],
      ['a/near.test.ts', 700],
      ['a/limit.fuzz.test.ts', 900],
    ]),
    withinMs: 10_000,
  }
  const order = ['a/limit.fuzz.test.ts', 'a/near.test.ts', 'b/quick.test.ts', 'b/slow.test.ts', 'b/loads.test.ts']
  expect(chooseTests(given)).toEqual({ tests: order, leftOut: 0 })
  const fewer = [order[0], order[2], order[4]]
  expect(chooseTests({ ...given, withinMs: 1_150 })).toEqual({ tests: fewer, leftOut: 2 })
})

test('importers are found through files, packages, their own names and what is loaded late, but not where only a type is taken', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-importers-'))
  const texts = {
    'packages/x/package.json': JSON.stringify({
      imports: { '#own': { 'svc-source': './src/limit.ts' } },
      exports: { './y': { 'svc-source': './src/index.ts' } },
    }),
    'packages/x/src/own.ts': "import { limit } from '#own'\n",
    'packages/x/src/index.ts': "export {\n  limit,\n} from './limit.ts'\n",
    'packages/x/src/limit.ts': "import { z } from 'zod'\n",
    'packages/x/src/late.ts': "const late = () => import('./limit.ts')\n",
    'packages/x/src/type.ts': "import type { Limit } from './limit.ts'\n",
    'packages/x/src/limit.test.ts': "import { limit } from './limit.ts'\n",
    'packages/z/src/far.test.ts': "import { limit } from '@svc/x/y'\n",
  }
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  expect(Object.fromEntries(readImporters(root, Object.keys(texts))('packages/x/src/limit.ts'))).toEqual({
    'packages/x/src/index.ts': 1,
    'packages/x/src/own.ts': 1,
    'packages/x/src/late.ts': 1,
    'packages/x/src/limit.test.ts': 1,
    'packages/z/src/far.test.ts': 2,
  })
})
