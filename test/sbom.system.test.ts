import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Lock, productionPackages, publishedWorkspaces } from '../scripts/production-packages.mjs'
import { sbom } from '../scripts/sbom.mjs'

const root = join(import.meta.dirname, '..')
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as unknown

test('the bill of materials names what the lockfile installs with the published packages, with hash and licence, and nothing else', () => {
  const folders = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
  const manifests = Object.fromEntries(
    folders.map((path) => [
      path,
      readJson(`${path}/package.json`) as { name: string; version: string; private?: boolean },
    ]),
  )
  const published = publishedWorkspaces(manifests)
  const wanted = productionPackages(readJson('package-lock.json') as Lock, published)
  const ours = published.map((path) => manifests[path]!)
  const { bomFormat, components } = sbom()
  expect(bomFormat).toBe('CycloneDX')
  const named = (list: readonly { readonly name: string; readonly version: string }[]) =>
    [...new Set(list.map(({ name, version }) => `${name}@${version}`))].toSorted()
  expect(named(components)).toEqual(named([...wanted, ...ours]))
  const foreign = components.filter(({ name }) => !name.startsWith('@svc/'))
  expect(foreign.filter(({ hashes, licenses }) => !hashes?.length || !licenses?.length)).toEqual([])
  expect(named(components)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^viem@/), expect.stringMatching(/^zod@/)]),
  )
})
