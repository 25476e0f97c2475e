import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { readOwedAllowances } from '@svc/engine'
import { checkDataDir } from '../status/check-host.ts'
import { requirePrivate } from '../open-state.ts'

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'private-'))))

it('takes a directory of its owner alone', () => {
  writeFileSync(join(dataDir, 'state.db'), '', { mode: 0o644 })
  writeFileSync(join(dataDir, 'notes.txt'), '', { mode: 0o666 })
  expect(() => requirePrivate(dataDir)).not.toThrow()
})

it.each([0o750, 0o705, 0o777])('refuses a directory of mode %o, with the mend', (mode) => {
  chmodSync(dataDir, mode)
  expect(() => requirePrivate(dataDir)).toThrow(`chmod 700 ${dataDir}`)
})

it.each(['state.db', 'audit.jsonl', 'audit-3.jsonl', 'breaker.json', 'paused'])(
  'refuses a %s others may write',
  (name) => {
    writeFileSync(join(dataDir, name), '')
    chmodSync(join(dataDir, name), 0o620)
    expect(() => requirePrivate(dataDir)).toThrow(`chmod 600 ${join(dataDir, name)}`)
  },
)

it('says in the setup report when the owed allowances of an earlier version make no sense, and refuses to read them', async () => {
  expect(await checkDataDir(dataDir, true, dataDir)).toMatchObject({ status: 'pass' })
  writeFileSync(join(dataDir, 'owed-allowances.json'), '{"garbage":')
  expect(await checkDataDir(dataDir, true, dataDir)).toMatchObject({
    status: 'fail',
    fix: expect.stringContaining('remove the file'),
  })
  await expect(readOwedAllowances(dataDir)).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    suggestion: expect.stringContaining('remove the file'),
  })
})
