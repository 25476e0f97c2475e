import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { isPaused, pause, readPause, readResume, resume } from './kill-switch.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pause-'))
})

const ada = { by: 'operator:ada', at: '2026-01-01T00:00:00.000Z' }

it('stops while a file named paused stands in the data directory, and only then', async () => {
  expect(await isPaused({ dataDir })).toBe(false)
  await writeFile(join(dataDir, 'paused'), '')
  expect(await isPaused({ dataDir })).toBe(true)
  await rm(join(dataDir, 'paused'))
  expect(await isPaused({ dataDir })).toBe(false)
  await symlink('/nowhere', join(dataDir, 'paused'))
  expect(await isPaused({ dataDir })).toBe(true)
})

it('fails rather than says no when the directory cannot be read', async () => {
  await expect(isPaused({ dataDir: join(tmpdir(), 'no-such-directory', 'x') })).rejects.toThrow('ENOENT')
})

it('keeps who paused first, when and why, in a file only its owner may read', async () => {
  const first = { since: ada.at, by: ada.by, reason: 'odd transfers' }
  expect(await pause({ dataDir }, { ...ada, reason: 'odd transfers' })).toEqual(first)
  expect(await pause({ dataDir }, { by: 'operator:bob', at: ada.at, reason: null })).toEqual(first)
  expect(await readPause({ dataDir })).toEqual(first)
  expect((await stat(join(dataDir, 'paused'))).mode & 0o777).toBe(0o600)
})

it('keeps who let signing go on, and what they ended', async () => {
  expect(await resume({ dataDir }, ada)).toBe(false)
  expect(await readResume({ dataDir })).toBeNull()
  await pause({ dataDir }, { ...ada, reason: null })
  expect(await resume({ dataDir }, { by: 'operator:bob', at: '2026-01-02T00:00:00.000Z' })).toBe(true)
  expect(await isPaused({ dataDir })).toBe(false)
  const end = { by: 'operator:bob', at: '2026-01-02T00:00:00.000Z' }
  const past = [{ begun: { since: ada.at, by: ada.by, reason: null }, end }]
  expect(await readResume({ dataDir })).toEqual({ ...end, reason: null, past })
})

it.each(['', '{', '{"by":7}', `{"by":"a","at":"yesterday","reason":null}`])(
  'is paused without a name by a file that holds %j',
  async (text) => {
    await writeFile(join(dataDir, 'paused'), text)
    const written = (await stat(join(dataDir, 'paused'))).mtime.toISOString()
    expect(await readPause({ dataDir })).toEqual({ since: written, by: null, reason: null })
  },
)

it('is paused by whatever bears the name', async () => {
  await mkdir(join(dataDir, 'paused'))
  expect(await readPause({ dataDir })).toMatchObject({ by: null })
})
