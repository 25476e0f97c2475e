import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { type Lock, productionPackages, publishedWorkspaces } from '../scripts/production-packages.mjs'
import { version as serverVersion } from '../packages/tool-server/src/status/status.ts'
import { version as apiVersion } from '../packages/support-api/src/version.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Manifest = {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license: string
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly publishConfig?: unknown
  readonly files?: readonly string[]
  readonly engines: { readonly node: string }
  readonly mcpName?: string
  readonly dependencies?: Readonly<Record<string, string>>
}
const own = JSON.parse(read('package.json')) as Manifest
const manifests = Object.fromEntries(
  readdirSync(join(root, 'packages')).map((name) => [
    `packages/${name}`,
    JSON.parse(read(`packages/${name}/package.json`)) as Manifest,
  ]),
)
const published = publishedWorkspaces(manifests)
const lock = JSON.parse(read('package-lock.json')) as Lock
const installed = productionPackages(lock, published)

describe.each(published)('the manifest of %s', (path) => {
  const manifest = manifests[path]!

  it('says where the package is made, for whom, and that npm is to prove it', () => {
    expect(manifest.repository).toEqual({ ...own.repository, directory: path })
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src', '!src/**/*.test.ts']))
    expect([manifest.license, manifest.engines]).toEqual(['MIT', own.engines])
  })

  it('depends on exact versions, and on nothing of ours that is not published', () => {
    const wanted = Object.entries(manifest.dependencies ?? {})
    expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
    const names = new Set(published.map((one) => manifests[one]?.name))
    expect(wanted.map(([name]) => name).filter((name) => name.startsWith('@svc/') && !names.has(name))).toEqual([])
  })
})

test('the name in the registry of servers is one of the repository that the manifests name', () => {
  const [, owner] = /github\.com\/([^/]+)\//.exec(own.repository?.url ?? '') ?? []
  expect(manifests['packages/tool-server']?.mcpName).toMatch(new RegExp(`^io\\.github\\.${owner}/`))
})

test('there is one version, and everything that names it says the same', () => {
  const { version } = own
  const said = {
    manifests: Object.values(manifests).map((one) => one.version),
    lock: Object.entries(lock.packages).flatMap(([place, entry]) =>
      place.includes('node_modules/') ? [] : [entry.version ?? ''],
    ),
    sources: [serverVersion, apiVersion],
    images: ['Dockerfile', 'kubernetes.yaml'].flatMap((file) =>
      [...read(`deploy/support-api/${file}`).matchAll(/svc-support-api:(\S+)/g)].map(([, tag = '']) => tag),
    ),
    changes: [/^## (\d\S*)$/m.exec(read('CHANGELOG.md'))?.[1]],
  }
  for (const [where, versions] of Object.entries(said))
    expect([where, [...new Set(versions)]]).toEqual([where, [version]])
})

test('what is not released yet has a changeset, and the other way round', () => {
  const [, unreleased = ''] = /^## Unreleased$([^]*?)^## /m.exec(read('CHANGELOG.md')) ?? []
  const changesets = readdirSync(join(root, '.changeset')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  )
  expect(changesets.length > 0).toBe(/^- /m.test(unreleased))
  for (const name of changesets)
    expect(read(`.changeset/${name}`)).toMatch(/^---\n(?:'@svc\/[a-z-]+': (?:patch|minor|major)\n)+---\n/)
})

/** Whoever uses the packages may do with their own program what they like. */
const permissive = new Set([
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
])
/** MPL-2.0 asks for the source of its own files where somebody changes them, and nothing of a program around them; nobody does here. */
const fileByFile = /^@ethereumjs\/(?:rlp|util)$|^@resvg\/resvg-js(?:-[\w-]+)?$/

test('what is installed with the published packages is under licences that ask nothing of the programs that use it', () => {
  expect(installed.length).toBeGreaterThan(80)
  const others = installed.filter(({ license }) => license === null || !permissive.has(license))
  expect(others.filter(({ license, name }) => license !== 'MPL-2.0' || !fileByFile.test(name))).toEqual([])
})

test('licences are those of what is installed, not of what the lockfile says of it', () => {
  const differing = installed.flatMap(({ place, license }) => {
    const manifest = readInstalled(place)
    return manifest === null || licenseOf(manifest) === license ? [] : [[place, licenseOf(manifest), license]]
  })
  expect(differing).toEqual([])
})

/** `null` for what is for another machine. */
function readInstalled(place: string): InstalledManifest | null {
  try {
    return JSON.parse(read(`${place}/package.json`)) as InstalledManifest
  } catch {
    return null
  }
}

type InstalledManifest = { readonly license?: string | { readonly type: string } }

const licenseOf = ({ license }: InstalledManifest) => (typeof license === 'object' ? license.type : (license ?? null))
