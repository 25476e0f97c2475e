import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Lock, productionPackages, publishedWorkspaces } from '../scripts/production-packages.mjs'
import { sbom } from '../scripts/sbom.mjs'

const root = join(import.meta.dirname, '..')
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))
type Manifest = { readonly name: string; readonly version: string; readonly private?: boolean }

test('the bill of materials names what the lockfile installs with the published packages, with hash and licence, and nothing else', () => {
  const folders = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
  const manifests = Object.fromEntries(folders.map((path) => [path, readJson(`${path}/package.json`) as Manifest]))
  const published = publishedWorkspaces(manifests)
  const foreign = productionPackages(readJson('package-lock.json') as Lock, published)
  const ours = published.flatMap((path) => manifests[path] ?? [])
  const wanted = new Set([...foreign, ...ours].map(({ name, version }) => `${name}@${version}`))
  const { bomFormat, components } = sbom()
  expect(bomFormat).toBe('CycloneDX')
  const idOf = ({ purl }: { readonly purl: string }) => decodeURIComponent(purl.slice('pkg:npm/'.length))
  expect(new Set(components.map(idOf))).toEqual(wanted)
  expect([...wanted]).toEqual(expect.arrayContaining([expect.stringMatching(/^viem@/), expect.stringMatching(/^zod@/)]))
  const foreignOnes = components.filter((one) => !idOf(one).startsWith('@svc/'))
  const bare = foreignOnes.filter(({ hashes = [], licenses = [] }) => hashes.length === 0 || licenses.length === 0)
  expect(bare).toEqual([])
})
