import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause, readPause, resume } from '@svc/engine/switches'
import { expect, test, vi } from 'vitest'
import { openWorldDirectory, readyDraft, readyFile } from './world-directory.ts'

test('what a killed world said of itself goes with its chain, also a draft of it, and so does the agent of an example', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-world-'))
  const first = await openWorldDirectory(path)
  first.dispose()
  const kept = readdirSync(path)
  for (const name of [readyFile, readyDraft]) writeFileSync(join(path, name), '{"ready":true')
  mkdirSync(join(path, 'agent'))
  const second = await openWorldDirectory(path)
  second.dispose()
  expect([readdirSync(path), second.cleared, second.privateKey]).toEqual([kept, true, first.privateKey])
  rmSync(path, { recursive: true })
})

test('a pause that stands is kept for the next run, one that was ended is not told of again', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-world-'))
  const open = async () => (await openWorldDirectory(path)).dispose()
  await open()
  await pause({ dataDir: path }, { by: 'operator:ada', at: '2026-01-31T08:00:00.000Z', reason: null })
  await open()
  expect(await readPause({ dataDir: path })).toMatchObject({ since: '2026-01-31T08:00:00.000Z' })
  await resume({ dataDir: path }, { by: 'operator:ada', at: '2026-01-31T09:00:00.000Z' })
  await open()
  expect(await readPause({ dataDir: path })).toBeNull()
  expect(readdirSync(path)).not.toContain('resumed.json')
  rmSync(path, { recursive: true })
})

const file = import.meta.filename
const linux = process.platform === 'linux'

test.each<[string, string]>([
  ...(linux ? [['/proc/x', 'the system makes no directory there (ENOENT)'] satisfies [string, string]] : []),
  [file, 'a file of this name is in its place (EEXIST)'],
  [join(file, 'below'), 'a part of this path is a file and no directory (ENOTDIR)'],
])('%s takes no world, and the error says why', async (path, why) => {
  await expect(openWorldDirectory(path)).rejects.toThrow(
    `the data directory ${path} cannot be used: ${why}. Name one that can be with --data-dir.`,
  )
})

test('a TMPDIR that takes no directory is named', async () => {
  vi.stubEnv('TMPDIR', file)
  await expect(openWorldDirectory(undefined)).rejects.toThrow(
    `TMPDIR (${file}) takes no directory: a part of this path is a file and no directory (ENOTDIR). Name another, or use --data-dir.`,
  )
  vi.unstubAllEnvs()
})
