import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
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
  expect(await resume({ dataDir }, ada)).toEqual({ ended: null, standing: null })
  expect(await readResume({ dataDir })).toBeNull()
  await pause({ dataDir }, { ...ada, reason: null })
  expect(await resume({ dataDir }, { by: 'operator:bob', at: '2026-01-02T00:00:00.000Z' })).toMatchObject({
    ended: { by: ada.by },
  })
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

it('ends the pause that was shown, and leaves another one that stands in its place', async () => {
  await pause({ dataDir }, { ...ada, reason: 'odd' })
  const shown = (await readPause({ dataDir }))!
  await resume({ dataDir }, ada)
  const bob = { by: 'operator:bob', at: '2026-01-03T00:00:00.000Z', reason: 'odder' }
  await pause({ dataDir }, bob)
  const stands = { since: bob.at, by: bob.by, reason: bob.reason }
  expect(await resume({ dataDir }, ada, shown)).toEqual({ ended: null, standing: stands })
  expect(await readPause({ dataDir })).toEqual(stands)
  expect((await readResume({ dataDir }))?.past).toHaveLength(1)
})

it('ends no file that takes the place of the one it looked at', async () => {
  await pause({ dataDir }, { ...ada, reason: 'odd' })
  const bob = { by: 'operator:bob', at: '2026-01-03T00:00:00.000Z', reason: 'odder' }
  // Resuming has looked once it waits for anything.
  const resuming = resume({ dataDir }, ada)
  rmSync(join(dataDir, 'paused'))
  writeFileSync(join(dataDir, 'paused'), JSON.stringify(bob))
  const stands = { since: bob.at, by: bob.by, reason: bob.reason }
  expect(await resuming).toEqual({ ended: null, standing: stands })
  expect(await readdir(dataDir)).toEqual(['paused'])
  expect(await readPause({ dataDir })).toEqual(stands)
})

it('goes on to stop signing while a pause is being ended, and one that is set then stays', async () => {
  await pause({ dataDir }, { ...ada, reason: 'odd' })
  // As a process leaves it that is killed in between.
  await rename(join(dataDir, 'paused'), join(dataDir, 'paused.ending'))
  expect(await isPaused({ dataDir })).toBe(true)
  expect(await readPause({ dataDir })).toMatchObject({ by: ada.by, reason: 'odd' })
  const bob = { by: 'operator:bob', at: '2026-01-03T00:00:00.000Z', reason: 'odder' }
  expect(await pause({ dataDir }, bob)).toMatchObject({ by: bob.by })
  await rm(join(dataDir, 'paused'))
  expect(await resume({ dataDir }, ada)).toMatchObject({ ended: { reason: 'odd' } })
  expect(await isPaused({ dataDir })).toBe(false)
})

it('is paused by whatever bears the name', async () => {
  await mkdir(join(dataDir, 'paused'))
  expect(await readPause({ dataDir })).toMatchObject({ by: null })
})
