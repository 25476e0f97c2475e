import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openServerId, readServerId } from './server-id.ts'

let directories: string[]
const newDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-server-id-'))
  directories.push(directory)
  return directory
}
beforeEach(() => {
  directories = []
})
afterEach(() => {
  for (const directory of directories) rmSync(directory, { recursive: true })
})

test('a directory has one id for good, and two on one machine have two', async () => {
  const [one, other] = [newDirectory(), newDirectory()]
  expect(await readServerId(one)).toBeNull()
  const id = await openServerId(one)
  expect(await openServerId(one)).toBe(id)
  expect(await readServerId(one)).toBe(id)
  expect(await openServerId(other)).not.toBe(id)
  const path = join(one, 'server.id')
  expect(readFileSync(path, 'utf8')).toBe(`${id}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test.each(['', 'host-a', 'x'.repeat(36)])('%j is no id, and the fix is said', async (text) => {
  const directory = newDirectory()
  writeFileSync(join(directory, 'server.id'), text)
  const refused = { code: 'STORAGE_UNAVAILABLE', suggestion: expect.stringContaining('Remove server.id') }
  await expect(openServerId(directory)).rejects.toMatchObject(refused)
  await expect(readServerId(directory)).rejects.toMatchObject(refused)
})
