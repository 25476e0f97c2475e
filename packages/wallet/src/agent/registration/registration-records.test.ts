import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registrationRecordsContract } from '../../testing/index.ts'
import { createFileJournal } from '../../file-journal.ts'
import { createFileRegistrationRecords } from './file-registration-records.ts'
import { address, sample } from './registration-record.fixture.ts'
import { createMemoryRegistrationRecords } from './registration-records.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registration-records-'))
  path = join(folder, 'deep', 'registrations.json')
})
afterEach(() => rm(folder, { recursive: true }))

const cases = registrationRecordsContract.map((item) => [item.name, item] as const)

describe('records in memory', () => {
  test.each(cases)('%s', (_name, item) => item.run(createMemoryRegistrationRecords()))
})

describe('records in a file', () => {
  test.each(cases)('%s', (_name, item) => item.run(createFileRegistrationRecords(path)))

  test('are there for whoever opens it next, and for its owner alone', async () => {
    await createFileRegistrationRecords(path).save(sample('a'))
    expect(await createFileRegistrationRecords(path).load('a')).toEqual(sample('a'))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  // Below /proc a recursive mkdir of Node 20 never returns.
  test.runIf(process.platform === 'linux')(
    'and a journal say where their folder cannot be made, whatever is above it',
    async () => {
      const record = sample('a')
      const refused = { code: 'JOURNAL_UNREADABLE', message: 'The folder /proc/x cannot be made.' }
      for (const above of ['/proc/x', '/proc/x/y']) {
        const records = createFileRegistrationRecords(`${above}/r.json`)
        await expect(records.save(record)).rejects.toMatchObject(refused)
        await expect(records.inTurn(record, async () => null)).rejects.toMatchObject(refused)
        await expect(createFileJournal(`${above}/j.jsonl`).open(1, address)).rejects.toMatchObject(refused)
      }
    },
  )

  test.each([
    ['is torn', (whole: string) => whole.slice(0, -7)],
    ['is empty', () => ''],
    ['holds an object', () => '{}'],
    ['holds things that are no records', () => '[{"token":"a"}]'],
    ['names a state that is none', (whole: string) => whole.replace('"prepared"', '"perhaps"')],
    ['names an address that is none', (whole: string) => whole.replace(address, '0x12')],
  ])('that %s says so, to readers and writers, and is left as it is', async (_how, damage) => {
    const records = createFileRegistrationRecords(path)
    await records.save(sample('a'))
    const damaged = damage(await readFile(path, 'utf8'))
    await writeFile(path, damaged)
    const unreadable = { code: 'JOURNAL_UNREADABLE' }
    await expect(records.load('a')).rejects.toMatchObject(unreadable)
    await expect(records.find(1, address, address)).rejects.toMatchObject(unreadable)
    await expect(records.save(sample('b'))).rejects.toMatchObject(unreadable)
    expect(await readFile(path, 'utf8')).toBe(damaged)
  })

  test('at a path that cannot be one says so', async () => {
    await writeFile(join(folder, 'file'), '')
    const records = createFileRegistrationRecords(join(folder, 'file', 'registrations.json'))
    await expect(records.save(sample('a'))).rejects.toMatchObject({ code: 'JOURNAL_UNREADABLE' })
  })
})
