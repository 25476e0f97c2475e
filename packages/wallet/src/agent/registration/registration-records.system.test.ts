// Processes of their own on one file of records.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFileRegistrationRecords } from './file-registration-records.ts'
import { sample } from './registration-record.fixture.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registration-records-'))
  path = join(folder, 'deep', 'registrations.json')
})
afterEach(() => rm(folder, { recursive: true }))

test('records of several processes at once are all kept', async () => {
  const writers = ['a', 'b', 'c'].map((name) => writer(path, name, 15))
  expect(await Promise.all(writers)).toEqual([0, 0, 0])
  const records = createFileRegistrationRecords(path)
  for (const name of ['a', 'b', 'c']) {
    for (let index = 0; index < 15; index += 1) expect(await records.load(`${name}${index}`)).not.toBeNull()
  }
})

test('records have the work of several processes take turns, and outlive one that dies in its turn', async () => {
  const log = join(folder, 'log')
  const runs = await Promise.all(['a', 'b', 'dies', 'c'].map((name) => worker(path, name, log)))
  expect(runs).toEqual([0, 0, null, 0])
  const lines = (await readFile(log, 'utf8')).trim().split('\n')
  expect(lines.filter((line) => line !== 'dies begins')).toHaveLength(6)
  const inTurn = lines.filter((line) => line !== 'dies begins')
  for (const index of [0, 2, 4]) expect(inTurn[index]?.split(' ')[0]).toBe(inTurn[index + 1]?.split(' ')[0])
})

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
