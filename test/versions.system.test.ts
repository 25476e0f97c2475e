import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const names = readdirSync(join(root, 'packages'))
let folder: string

/** What a version is written into, and what it is made of. */
const paths = [
  '.changeset',
  'CHANGELOG.md',
  'deploy/support-api/Dockerfile',
  'deploy/support-api/kubernetes.yaml',
  'package-lock.json',
  'package.json',
  'packages/support-api/src/version.ts',
  'packages/tool-server/src/status/status.ts',
  ...names.map((name) => `packages/${name}/package.json`),
]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-versions-'))
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const name of changesets()) rmSync(join(folder, '.changeset', name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const changesets = () =>
  readdirSync(join(folder, '.changeset')).filter((name) => name !== 'README.md' && name.endsWith('.md'))
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const run = () => execFileSync(process.execPath, [join(root, 'scripts/versions.mjs')], { cwd: folder, stdio: 'pipe' })

test('a changeset of one package raises every version, with all that pins or names it, and gives the changes their heading', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const [major = '', minor = ''] = version.split('.')
  const next = `${major}.${Number(minor) + 1}.0`
  writeFileSync(join(folder, '.changeset/one.md'), "---\n'@svc/lp-math': minor\n---\n\nMore.\n")
  run()
  for (const path of paths.slice(2).filter((one) => one !== 'package-lock.json')) {
    const before = readFileSync(join(root, path), 'utf8')
    const expected = before
      .replace(`"version": "${version}"`, `"version": "${next}"`)
      .replaceAll(new RegExp(`("@svc/[a-z-]+": )"${version}"`, 'g'), `$1"${next}"`)
      .replaceAll(`svc-support-api:${version}`, `svc-support-api:${next}`)
      .replace(`version = '${version}'`, `version = '${next}'`)
    expect([path, read(path)]).toEqual([path, expected])
  }
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version?: string; dependencies?: Record<string, string> }>
  }
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (place.includes('node_modules/')) continue
    const pins = Object.entries(entry.dependencies ?? {}).filter(([name]) => name.startsWith('@svc/'))
    expect([place, entry.version, ...new Set(pins.map(([, pin]) => pin))]).toEqual([
      place,
      next,
      ...(pins.length > 0 ? [next] : []),
    ])
  }
  expect(read('CHANGELOG.md')).toContain(`## Unreleased\n\n## ${next}\n`)
  expect(changesets()).toEqual([])
})

test('without a changeset nothing is written', () => {
  expect(run).toThrow(/There is no changeset/)
  expect(read('package.json')).toBe(readFileSync(join(root, 'package.json'), 'utf8'))
})
