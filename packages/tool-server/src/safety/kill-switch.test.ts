import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isPaused } from './kill-switch.ts'

it('stops while a file named paused stands in the data directory, and only then', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'pause-'))
  expect(await isPaused(dataDir)).toBe(false)
  await writeFile(join(dataDir, 'paused'), '')
  expect(await isPaused(dataDir)).toBe(true)
  await rm(join(dataDir, 'paused'))
  expect(await isPaused(dataDir)).toBe(false)
  await symlink('/nowhere', join(dataDir, 'paused'))
  expect(await isPaused(dataDir)).toBe(true)
})

it('fails rather than says no when the directory cannot be read', async () => {
  await expect(isPaused(join(tmpdir(), 'no-such-directory', 'x'))).rejects.toThrow('ENOENT')
})
