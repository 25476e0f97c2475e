import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readPublicApi, type PublicApi } from './read-public-api.ts'
import { renderApi } from './render-api.ts'

// `npm run docs` rewrites these pages from what `npm run build` made; a test run only holds them against it.
const root = join(import.meta.dirname, '../..')

describe.each(['lp-math', 'wallet', 'test-utils'])('the API of %s', (name) => {
  const folder = join(root, 'packages', name)
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types: string }>>
  }
  let entries: Readonly<Record<string, PublicApi>> = {}
  beforeAll(() => {
    const read = Object.entries(exports).map(([path, { types }]) => [path.slice(1), readPublicApi(folder, types)])
    entries = Object.fromEntries(read)
  })

  test('is whole: each export says what it is, and what it speaks of is exported too', () => {
    const all = Object.values(entries)
    const exported = new Map(all.flatMap((entry) => entry.exported.map((one) => [one.name, one.doc])))
    const silent = [...exported].filter(([, doc]) => doc === '').map(([name]) => name)
    const unexported = all.flatMap((entry) => entry.unexported).filter((name) => !exported.has(name))
    const malformed = all.flatMap((entry) => entry.malformed)
    expect({ silent, unexported, malformed }).toEqual({ silent: [], unexported: [], malformed: [] })
  })

  test('stands on its page', async () => {
    const page = renderApi(`@svc/${name}`, `packages/${name}`, entries)
    await expect(page).toMatchFileSnapshot(join(root, 'docs/api', `${name}.md`))
  })
})
