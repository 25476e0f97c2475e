import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { registrationRecordsContract } from '../../testing/index.ts'
import { createFileJournal } from '../../file-journal.ts'
import { createFileRegistrationRecords } from './file-registration-records.ts'
import { createMemoryRegistrationRecords, type RegistrationRecord } from './registration-records.ts'

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

  test('of several processes at once are all kept', async () => {
    const writers = ['a', 'b', 'c'].map((name) => writer(path, name, 15))
    expect(await Promise.all(writers)).toEqual([0, 0, 0])
    const records = createFileRegistrationRecords(path)
    for (const name of ['a', 'b', 'c']) {
      for (let index = 0; index < 15; index += 1) expect(await records.load(`${name}${index}`)).not.toBeNull()
    }
  })

  test('have the work of several processes take turns, and outlive one that dies in its turn', async () => {
    const log = join(folder, 'log')
    const runs = await Promise.all(['a', 'b', 'dies', 'c'].map((name) => worker(path, name, log)))
    expect(runs).toEqual([0, 0, null, 0])
    const lines = (await readFile(log, 'utf8')).trim().split('\n')
    expect(lines.filter((line) => line !== 'dies begins')).toHaveLength(6)
    const inTurn = lines.filter((line) => line !== 'dies begins')
    for (const index of [0, 2, 4]) expect(inTurn[index]?.split(' ')[0]).toBe(inTurn[index + 1]?.split(' ')[0])
  })

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

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function sample(token: string): RegistrationRecord {
  return {
    token,
    chainId: 1,
    registry: address,
    owner: address,
    state: 'prepared',
    method: 'direct-contract',
    agentURI: 'data:,',
    data: '0x',
    txHash: null,
    userOperation: null,
    userOperationHash: null,
    tokenId: null,
    updatedAt: 1,
  }
}

/** A process of its own that notes when its turn begins and ends; the one that dies is killed within. */
async function worker(file: string, name: string, log: string): Promise<number | null> {
  const built = new URL('../../../dist/agent/registration/file-registration-records.js', import.meta.url).href
  const program = `
import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createFileRegistrationRecords } from ${JSON.stringify(built)}
const [name, log] = ${JSON.stringify([name, log])}
const { chainId, registry, owner } = ${JSON.stringify(sample('a'))}
await createFileRegistrationRecords(${JSON.stringify(file)}).inTurn({ chainId, registry, owner }, async () => {
  appendFileSync(log, name + ' begins\\n')
  if (name === 'dies') process.kill(process.pid, 'SIGKILL')
  await setTimeout(200)
  appendFileSync(log, name + ' ends\\n')
})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** A process of its own that saves so many records; resolves to its exit code. */
async function writer(file: string, name: string, count: number): Promise<number | null> {
  const built = new URL('../../../dist/agent/registration/file-registration-records.js', import.meta.url).href
  const program = `
import { createFileRegistrationRecords } from ${JSON.stringify(built)}
const records = createFileRegistrationRecords(${JSON.stringify(file)})
const sample = ${JSON.stringify(sample(name))}
for (let index = 0; index < ${count}; index += 1) await records.save({ ...sample, token: sample.token + index })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}
